// Runs inside a node (debug_traceCall) and answers what geth's erc7562Tracer answers, as far as rules ask for it.
// In ES5, and without what engines differ in: the cost of opcodes, memory beyond its end, and what becomes of an
// error in a callback, which is why each is caught here and told as `failure`.
(function () {
  var opcodes = {
    iszero: 0x15,
    keccak256: 0x20,
    extcodesize: 0x3b,
    extcodecopy: 0x3c,
    extcodehash: 0x3f,
    sload: 0x54,
    sstore: 0x55,
    gas: 0x5a,
    tload: 0x5c,
    tstore: 0x5d,
    push0: 0x5f,
    swap16: 0x9f,
    call: 0xf1,
    callcode: 0xf2,
    delegatecall: 0xf4,
    staticcall: 0xfa
  }
  /** bytes; a preimage of associated storage is two words, what is much longer is none */
  var longestPreimage = 1024

  var frames = [emptyFrame()]
  var preimages = {}
  var steps = 0
  var failure = null

  function emptyFrame() {
    return {
      accessedSlots: { reads: {}, writes: {}, transientReads: {}, transientWrites: {} },
      extCodeAccessInfo: [],
      usedOpcodes: {},
      contractSize: {},
      outOfGas: false,
      calls: []
    }
  }

  function guarded(callback) {
    return function (first, second) {
      if (failure !== null) return
      try {
        callback(first, second)
      } catch (error) {
        failure = String(error)
      }
    }
  }

  function count(counts, key) {
    counts[key] = (counts[key] || 0) + 1
  }

  function padded(number, digits) {
    var text = number.toString(16)
    while (text.length < digits) text = '0' + text
    return '0x' + text.slice(-digits)
  }

  function isCode(opcode) {
    return opcode === opcodes.extcodesize || opcode === opcodes.extcodecopy || opcode === opcodes.extcodehash
  }

  function isCall(opcode) {
    return (
      opcode === opcodes.call ||
      opcode === opcodes.callcode ||
      opcode === opcodes.delegatecall ||
      opcode === opcodes.staticcall
    )
  }

  /** What the opcode before meant is known from the one that follows it (OP-012, OP-051). */
  function finishLast(frame, opcode) {
    if (frame.last === opcodes.gas && !isCall(opcode)) count(frame.usedOpcodes, padded(opcodes.gas, 2))
    if (frame.lookedAt !== undefined && !(frame.last === opcodes.extcodesize && opcode === opcodes.iszero))
      frame.extCodeAccessInfo.push(frame.lookedAt)
    frame.last = opcode
    frame.lookedAt = undefined
  }

  function touch(frame, opcode, address, db) {
    if (isCode(opcode)) frame.lookedAt = address
    if (frame.contractSize[address] === undefined)
      frame.contractSize[address] = { contractSize: db.getCode(toAddress(address)).length, opcode: opcode }
  }

  function accessSlot(frame, opcode, slot, log, db) {
    var slots = frame.accessedSlots
    if (opcode === opcodes.sstore) count(slots.writes, slot)
    else if (opcode === opcodes.tload) count(slots.transientReads, slot)
    else if (opcode === opcodes.tstore) count(slots.transientWrites, slot)
    else if (slots.reads[slot] === undefined && slots.writes[slot] === undefined)
      slots.reads[slot] = [toHex(db.getState(log.contract.getAddress(), toWord(slot)))]
  }

  function keepPreimage(log) {
    var offset = Number(log.stack.peek(0).toString(10))
    var size = Number(log.stack.peek(1).toString(10))
    if (size > longestPreimage) return
    var end = Math.min(offset + size, log.memory.length())
    var bytes = end > offset ? toHex(log.memory.slice(offset, end)) : '0x'
    while (bytes.length < 2 + 2 * size) bytes += '00'
    preimages[bytes] = true
  }

  function step(log, db) {
    steps += 1
    var opcode = log.op.toNumber()
    var frame = frames[frames.length - 1]
    finishLast(frame, opcode)
    if (opcode >= opcodes.push0 && opcode <= opcodes.swap16) return
    if (opcode !== opcodes.gas) count(frame.usedOpcodes, padded(opcode, 2))
    // An opcode that lacks its operands is told too, before it fails.
    var operands = log.stack.length()
    if (isCode(opcode) && operands > 0) touch(frame, opcode, padded(log.stack.peek(0), 40), db)
    else if (isCall(opcode) && operands > 1) touch(frame, opcode, padded(log.stack.peek(1), 40), db)
    else if (opcode === opcodes.keccak256 && operands > 1) keepPreimage(log)
    else if (
      (opcode === opcodes.sload ||
        opcode === opcodes.sstore ||
        opcode === opcodes.tload ||
        opcode === opcodes.tstore) &&
      operands > 0
    )
      accessSlot(frame, opcode, padded(log.stack.peek(0), 64), log, db)
  }

  function enter(call) {
    var frame = emptyFrame()
    var value = call.getValue()
    frame.type = call.getType()
    frame.from = toHex(call.getFrom())
    frame.to = toHex(call.getTo())
    frame.input = toHex(call.getInput())
    frame.gas = '0x' + call.getGas().toString(16)
    if (value !== undefined && value !== null) frame.value = '0x' + value.toString(16)
    frames.push(frame)
  }

  function finish(frame, output, gasUsed, error) {
    delete frame.last
    delete frame.lookedAt
    frame.gasUsed = '0x' + gasUsed.toString(16)
    frame.output = toHex(output)
    if (error !== undefined && error !== null && error !== '') {
      frame.error = String(error)
      frame.outOfGas =
        frame.error
          .toLowerCase()
          .replace(/[^a-z]/g, '')
          .indexOf('outofgas') >= 0
    }
  }

  function exit(result) {
    var frame = frames.pop()
    finish(frame, result.getOutput(), result.getGasUsed(), result.getError())
    frames[frames.length - 1].calls.push(frame)
  }

  function result(context) {
    var root = frames[0]
    if (failure === null && frames.length !== 1) failure = frames.length + ' frames are open'
    if (failure === null && steps === 0) failure = 'no step was seen'
    if (failure !== null) return { failure: failure }
    root.type = context.type
    root.from = toHex(context.from)
    root.to = toHex(context.to)
    root.input = toHex(context.input)
    root.gas = '0x' + context.gas.toString(16)
    root.value = '0x' + context.value.toString(16)
    finish(root, context.output, context.gasUsed, context.error)
    root.keccak = Object.keys(preimages).sort()
    return root
  }

  return { step: guarded(step), fault: function () {}, enter: guarded(enter), exit: guarded(exit), result: result }
})()
