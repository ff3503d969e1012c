// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

interface IStakes {
    function addStake(uint32 unstakeDelaySec) external payable;
}

/// What validation shall do. Whether it fails is nobody's concern: what counts is that it was tried.
enum Kind {
    /// The opcode with number `value`, from a list.
    Opcode,
    Call,
    StaticCall,
    DelegateCall,
    CallCode,
    /// EXTCODESIZE and others of `to`.
    CodeSize,
    CodeSizeIsZero,
    CodeHash,
    CodeCopy,
    /// Of slot `value` of its own storage.
    Load,
    Store,
    TransientLoad,
    TransientStore,
    /// With init code `data` and salt `value`.
    Create,
    Create2
}

struct Action {
    Kind kind;
    address to;
    uint256 value;
    /// Of a call; 0: all there is.
    uint256 gasLimit;
    bytes data;
}

/// Does what it is told: the one contract that breaks every rule of ERC-7562, or just does not.
contract Performer {
    function perform(Action[] memory actions) public payable {
        for (uint256 i = 0; i < actions.length; i++) act(actions[i]);
    }

    /// A stake at the EntryPoint, as an entity.
    function stake(address entryPoint, uint32 unstakeDelaySec) external payable {
        IStakes(entryPoint).addStake{value: msg.value}(unstakeDelaySec);
    }

    receive() external payable {}

    function act(Action memory action) private {
        Kind kind = action.kind;
        if (kind == Kind.Opcode) opcode(action.value);
        else if (kind <= Kind.CallCode) call(action);
        else if (kind <= Kind.CodeCopy) code(kind, action.to);
        else if (kind <= Kind.TransientStore) storageOf(kind, action.value);
        else create(action);
    }

    function opcode(uint256 wanted) private {
        assembly {
            switch wanted
            case 0x31 { mstore(0, balance(address())) }
            case 0x32 { mstore(0, origin()) }
            case 0x3a { mstore(0, gasprice()) }
            case 0x40 { mstore(0, blockhash(1)) }
            case 0x41 { mstore(0, coinbase()) }
            case 0x42 { mstore(0, timestamp()) }
            case 0x43 { mstore(0, number()) }
            case 0x44 { mstore(0, prevrandao()) }
            case 0x45 { mstore(0, gaslimit()) }
            case 0x47 { mstore(0, selfbalance()) }
            case 0x48 { mstore(0, basefee()) }
            case 0x49 { mstore(0, blobhash(0)) }
            case 0x4a { mstore(0, blobbasefee()) }
            case 0x5a { mstore(0, gas()) }
            case 0xfe { invalid() }
            case 0xff { selfdestruct(address()) }
            default { revert(0, 0) }
        }
    }

    function call(Action memory action) private {
        (Kind kind, address to, uint256 value) = (action.kind, action.to, action.value);
        (uint256 limit, bytes memory data) = (action.gasLimit, action.data);
        assembly {
            let from := add(data, 32)
            let size := mload(data)
            switch kind
            case 1 {
                switch limit
                case 0 { pop(call(gas(), to, value, from, size, 0, 0)) }
                default { pop(call(limit, to, value, from, size, 0, 0)) }
            }
            case 2 {
                switch limit
                case 0 { pop(staticcall(gas(), to, from, size, 0, 0)) }
                default { pop(staticcall(limit, to, from, size, 0, 0)) }
            }
            case 3 { pop(delegatecall(gas(), to, from, size, 0, 0)) }
            case 4 { pop(callcode(gas(), to, value, from, size, 0, 0)) }
        }
    }

    function code(Kind kind, address to) private view {
        assembly {
            switch kind
            case 5 { mstore(0, extcodesize(to)) }
            case 6 { mstore(0, iszero(extcodesize(to))) }
            case 7 { mstore(0, extcodehash(to)) }
            case 8 { extcodecopy(to, 0, 0, 32) }
        }
    }

    function storageOf(Kind kind, uint256 slot) private {
        assembly {
            switch kind
            case 9 { mstore(0, sload(slot)) }
            case 10 { sstore(slot, 1) }
            case 11 { mstore(0, tload(slot)) }
            case 12 { tstore(slot, 1) }
        }
    }

    function create(Action memory action) private {
        (Kind kind, uint256 salt, bytes memory data) = (action.kind, action.value, action.data);
        assembly {
            switch kind
            case 13 { mstore(0, create(0, add(data, 32), mload(data))) }
            case 14 { mstore(0, create2(0, add(data, 32), mload(data), salt)) }
        }
    }
}

/// A contract with storage for others, such as a token's: any slot, and slots that belong to somebody.
contract Registry {
    function read(uint256 slot) external view returns (uint256 value) {
        assembly { value := sload(slot) }
    }

    function write(uint256 slot) external {
        assembly { sstore(slot, 1) }
    }

    function readTransient(uint256 slot) external view returns (uint256 value) {
        assembly { value := tload(slot) }
    }

    function writeTransient(uint256 slot) external {
        assembly { tstore(slot, 1) }
    }

    /// `distance` slots behind keccak(owner ‖ 0).
    function readOf(address owner, uint256 distance) external view returns (uint256 value) {
        bytes32 slot = keccak256(abi.encode(owner, uint256(0)));
        assembly { value := sload(add(slot, distance)) }
    }

    function writeOf(address owner, uint256 distance) external {
        bytes32 slot = keccak256(abi.encode(owner, uint256(0)));
        assembly { sstore(add(slot, distance), 1) }
    }

    function writeTransientOf(address owner, uint256 distance) external {
        bytes32 slot = keccak256(abi.encode(owner, uint256(0)));
        assembly { tstore(add(slot, distance), 1) }
    }
}

struct Operation06 {
    address sender;
    uint256 nonce;
    bytes initCode;
    bytes callData;
    uint256 callGasLimit;
    uint256 verificationGasLimit;
    uint256 preVerificationGas;
    uint256 maxFeePerGas;
    uint256 maxPriorityFeePerGas;
    bytes paymasterAndData;
    bytes signature;
}

struct Operation07 {
    address sender;
    uint256 nonce;
    bytes initCode;
    bytes callData;
    bytes32 accountGasLimits;
    uint256 preVerificationGas;
    bytes32 gasFees;
    bytes paymasterAndData;
    bytes signature;
}

/// An account without an owner: its signature is what its validation shall do. For every EntryPoint version.
contract RuleAccount is Performer {
    function validateUserOp(Operation06 calldata op, bytes32, uint256 missing) external returns (uint256) {
        return validate(op.signature, missing);
    }

    function validateUserOp(Operation07 calldata op, bytes32, uint256 missing) external returns (uint256) {
        return validate(op.signature, missing);
    }

    function validate(bytes calldata program, uint256 missing) private returns (uint256) {
        if (program.length > 0) perform(abi.decode(program, (Action[])));
        if (missing > 0) {
            (bool paid, ) = msg.sender.call{value: missing}("");
            require(paid);
        }
        return 0;
    }
}

/// Pays for everybody; its data is what its validation shall do, and how large a context it returns.
contract RulePaymaster is Performer {
    function validatePaymasterUserOp(Operation06 calldata op, bytes32, uint256)
        external
        returns (bytes memory, uint256)
    {
        return validate(op.paymasterAndData[20:]);
    }

    function validatePaymasterUserOp(Operation07 calldata op, bytes32, uint256)
        external
        returns (bytes memory, uint256)
    {
        return validate(op.paymasterAndData[52:]);
    }

    function validate(bytes calldata program) private returns (bytes memory, uint256) {
        if (program.length == 0) return ("", 0);
        (Action[] memory actions, uint256 contextSize) = abi.decode(program, (Action[], uint256));
        perform(actions);
        return (new bytes(contextSize), 0);
    }

    function postOp(uint8, bytes calldata, uint256) external {}

    function postOp(uint8, bytes calldata, uint256, uint256) external {}
}

/// Makes accounts, as minimal proxies (ERC-1167), and does before it what it is told; the account does it when it is made.
contract RuleFactory is Performer {
    address immutable implementation;

    constructor(address account) {
        implementation = account;
    }

    function create(uint256 salt, Action[] memory actions, Action[] memory inAccount)
        external
        returns (address account)
    {
        perform(actions);
        bytes memory proxy = abi.encodePacked(
            hex"3d602d80600a3d3981f3363d3d373d3d3d363d73",
            implementation,
            hex"5af43d82803e903d91602b57fd5bf3"
        );
        assembly { account := create2(0, add(proxy, 32), mload(proxy), salt) }
        if (inAccount.length > 0) Performer(payable(account)).perform(inAccount);
    }
}
