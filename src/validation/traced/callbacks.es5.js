// Runs inside a node (debug_traceCall) and answers what geth's erc7562Tracer answers, as far as rules ask for it.
// In ES5, and without what engines differ in: the cost of opcodes, memory beyond its end, errors of creations, and
// what becomes of an error in a callback, which is why each is caught here and told as `failure`.
(function () {
  var STOP = 0x00, ISZERO = 0x15, KECCAK256 = 0x20, EXTCODESIZE = 0x3b, EXTCODECOPY = 0x3c, EXTCODEHASH = 0x3f
  var SLOAD = 0x54, SSTORE = 0x55, GAS = 0x5a, TLOAD = 0x5c, TSTORE = 0x5d, PUSH0 = 0x5f, SWAP16 = 0x9f
  var CALL = 0xf1, CALLCODE = 0xf2, RETURN = 0xf3, DELEGATECALL = 0xf4, STATICCALL = 0xfa, REVERT = 0xfd
  var SELFDESTRUCT = 0xff

  // bytes; a preimage of associated storage is two words, what is much longer is none
  var longestPreimage = 1024

  var frame = emptyFrame(undefined)
  var preimages = {}
  var steps = 0
  var failure = null

  function emptyFrame(parent) {
    return {
      accessedSlots: { reads: {}, writes: {}, transientReads: {}, transientWrites: {} },
      extCodeAccessInfo: [],
      usedOpcodes: {},
      contractSize: {},
      outOfGas: false,
      calls: [],
      state: { parent: parent, last: undefined, lookedAt: undefined, counts: {} }
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

  var whatToDo = {}
  whatToDo[KECCAK256] = keepPreimage
  whatToDo[EXTCODESIZE] = whatToDo[EXTCODECOPY] = whatToDo[EXTCODEHASH] = lookAtCode
  whatToDo[CALL] = whatToDo[CALLCODE] = whatToDo[DELEGATECALL] = whatToDo[STATICCALL] = call
  whatToDo[SLOAD] = read
  whatToDo[SSTORE] = countSlot('writes')
  whatToDo[TLOAD] = countSlot('transientReads')
  whatToDo[TSTORE] = countSlot('transientWrites')

  // Opcodes that lack operands are told too, before they fail.
  function keepPreimage(opcode, log) {
    if (log.stack.length() < 2) return
    var offset = Number(log.stack.peek(0).toString(10))
    var size = Number(log.stack.peek(1).toString(10))
    if (size > longestPreimage) return
    var end = Math.min(offset + size, log.memory.length())
    var bytes = end > offset ? toHex(log.memory.slice(offset, end)) : '0x'
    while (bytes.length < 2 + 2 * size) bytes += '00'
    preimages[bytes] = true
  }

  function meet(opcode, address, db) {
    if (frame.contractSize[address] !== undefined) return
    frame.contractSize[address] = { contractSize: db.getCode(toAddress(address)).length, opcode: opcode }
  }

  function lookAtCode(opcode, log, db) {
    if (log.stack.length() < 1) return
    var address = padded(log.stack.peek(0), 40)
    frame.state.lookedAt = address
    meet(opcode, address, db)
  }

  function call(opcode, log, db) {
    if (log.stack.length() > 1) meet(opcode, padded(log.stack.peek(1), 40), db)
  }

  function read(opcode, log, db) {
    if (log.stack.length() < 1) return
    var slot = padded(log.stack.peek(0), 64)
    var slots = frame.accessedSlots
    if (slots.reads[slot] === undefined && slots.writes[slot] === undefined)
      slots.reads[slot] = [toHex(db.getState(log.contract.getAddress(), toWord(slot)))]
  }

  function countSlot(kind) {
    return function (opcode, log) {
      if (log.stack.length() > 0) count(frame.accessedSlots[kind], padded(log.stack.peek(0), 64))
    }
  }

  function step(log, db) {
    steps += 1
    var opcode = log.op.toNumber()
    var state = frame.state
    // What these mean is known from the opcode behind them (OP-012, OP-051).
    if (state.last === GAS && whatToDo[opcode] !== call) count(state.counts, GAS)
    if (state.lookedAt !== undefined) {
      if (state.last !== EXTCODESIZE || opcode !== ISZERO) frame.extCodeAccessInfo.push(state.lookedAt)
      state.lookedAt = undefined
    }
    state.last = opcode
    if (opcode >= PUSH0 && opcode <= SWAP16) return
    if (opcode !== GAS) count(state.counts, opcode)
    if (whatToDo[opcode] !== undefined) whatToDo[opcode](opcode, log, db)
  }

  function enter(call) {
    var value = call.getValue()
    frame = emptyFrame(frame)
    frame.type = call.getType()
    frame.from = toHex(call.getFrom())
    frame.to = toHex(call.getTo())
    frame.input = toHex(call.getInput())
    frame.gas = '0x' + call.getGas().toString(16)
    if (value !== undefined && value !== null) frame.value = '0x' + value.toString(16)
  }

  function finish(output, gasUsed, error) {
    var state = frame.state
    delete frame.state
    for (var opcode in state.counts) frame.usedOpcodes['0x' + Number(opcode).toString(16)] = state.counts[opcode]
    frame.gasUsed = '0x' + gasUsed.toString(16)
    frame.output = toHex(output)
    var told = error === undefined || error === null ? '' : String(error)
    frame.error = told || errorAfter(state.last)
    if (frame.error === undefined) delete frame.error
    else frame.outOfGas = /out ?of ?gas/i.test(frame.error)
    return state.parent
  }

  // Of creations anvil tells no error: then it is known from the last opcode.
  function errorAfter(last) {
    if (last === undefined || last === STOP || last === RETURN || last === SELFDESTRUCT) return undefined
    return last === REVERT ? 'execution reverted' : 'out of gas or invalid opcode'
  }

  function exit(result) {
    var done = frame
    frame = finish(result.getOutput(), result.getGasUsed(), result.getError())
    frame.calls.push(done)
  }

  function result(context) {
    if (failure === null && frame.state.parent !== undefined) failure = 'a frame is open'
    if (failure === null && steps === 0) failure = 'no step was seen'
    if (failure !== null) return { failure: failure }
    frame.type = context.type
    frame.from = toHex(context.from)
    frame.to = toHex(context.to)
    frame.input = toHex(context.input)
    frame.gas = '0x' + context.gas.toString(16)
    frame.value = '0x' + context.value.toString(16)
    frame.keccak = Object.keys(preimages).sort()
    finish(context.output, context.gasUsed, context.error)
    return frame
  }

  return { step: guarded(step), fault: function () {}, enter: guarded(enter), exit: guarded(exit), result: result }
})()
