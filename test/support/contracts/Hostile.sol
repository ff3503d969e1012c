// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Takes all the gas that it is given, and returns without an error.
contract GasBurner {
    fallback() external payable {
        while (gasleft() > 300) {}
    }
}

/// Reverts in every way there is.
contract Reverter {
    error NotToday(address caller, uint256 day);

    function withReason() external pure {
        revert("not today");
    }

    function withPanic(uint256 divisor) external pure returns (uint256) {
        return 1 / divisor;
    }

    function withCustomError() external view {
        revert NotToday(msg.sender, 7);
    }

    function withoutReason() external pure {
        assembly {
            revert(0, 0)
        }
    }
}

/// Succeeds on another path when a call inside it runs out of gas.
contract Swallower {
    mapping(uint256 => uint256) private slots;
    uint256 public completed;

    function run(uint256 count) external {
        try this.deep(count, 12) {
            completed += 1;
        } catch {}
    }

    /// Each level of calls keeps a 64th of the gas to itself.
    function deep(uint256 count, uint256 depth) external {
        if (depth > 0) return this.deep(count, depth - 1);
        for (uint256 i = 0; i < count; i++) slots[i] = block.timestamp;
    }
}

struct UserOp07 {
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

struct UserOp06 {
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

/// An account without an owner: `answer` is its validation data, and it can be made to revert or to burn gas.
contract OpenAccount {
    uint256 public answer;
    uint256 public burn;
    string public refusal;

    function set(uint256 answer_, uint256 burn_, string calldata refusal_) external {
        answer = answer_;
        burn = burn_;
        refusal = refusal_;
    }

    function execute(address target, uint256 value, bytes calldata data) external {
        (bool success, bytes memory returned) = target.call{value: value}(data);
        if (!success) {
            assembly {
                revert(add(returned, 32), mload(returned))
            }
        }
    }

    function executeUserOp(UserOp07 calldata op, bytes32) external {
        (address target, bytes memory data) = abi.decode(op.callData[4:], (address, bytes));
        (bool success, ) = target.call(data);
        require(success, "executeUserOp failed");
    }

    function validateUserOp(UserOp07 calldata, bytes32, uint256 missing) external returns (uint256) {
        return validate(missing);
    }

    function validateUserOp(UserOp06 calldata, bytes32, uint256 missing) external returns (uint256) {
        return validate(missing);
    }

    /// Takes that much without looking at the gas: a precompile that fails keeps what it was given.
    function burnAll(uint256 amount) private view {
        assembly {
            // (1, 1) is no point of BN254.
            mstore(0, 1)
            mstore(32, 1)
            pop(staticcall(amount, 0x06, 0, 64, 0, 0))
        }
    }

    function validate(uint256 missing) private returns (uint256) {
        if (bytes(refusal).length > 0) revert(refusal);
        if (missing > 0) {
            (bool paid, ) = msg.sender.call{value: missing}("");
            require(paid);
        }
        if (burn > 0) burnAll(burn);
        return answer;
    }

    receive() external payable {}
}

/// Pays for everybody: `answer` is its validation data, `contextSize` decides whether postOp is called. What it is told
/// is part of its code: an unstaked paymaster may not read storage in validation.
contract OpenPaymaster {
    uint256 private immutable answer;
    uint256 private immutable contextSize;
    uint256 public immutable postOpSlots;
    bytes32 private immutable refusal;
    mapping(uint256 => uint256) private slots;
    /// It may change its mind, and has to be staked to look whether it did.
    bool private immutable isFickle;
    bytes32 private newRefusal;

    constructor(uint256 answer_, uint256 contextSize_, uint256 postOpSlots_, bytes32 refusal_, bool isFickle_) {
        answer = answer_;
        contextSize = contextSize_;
        postOpSlots = postOpSlots_;
        refusal = refusal_;
        isFickle = isFickle_;
    }

    function refuse(bytes32 refusal_) external {
        newRefusal = refusal_;
    }

    function validatePaymasterUserOp(
        UserOp07 calldata,
        bytes32,
        uint256
    ) external view returns (bytes memory, uint256) {
        return validate();
    }

    function validatePaymasterUserOp(
        UserOp06 calldata,
        bytes32,
        uint256
    ) external view returns (bytes memory, uint256) {
        return validate();
    }

    function validate() private view returns (bytes memory context, uint256) {
        if (refusal != 0) revert(text(refusal));
        if (isFickle && newRefusal != 0) revert(text(newRefusal));
        return (new bytes(contextSize), answer);
    }

    function postOp(uint8, bytes calldata, uint256) external {
        work();
    }

    function postOp(uint8, bytes calldata, uint256, uint256) external {
        work();
    }

    function text(bytes32 padded) private pure returns (string memory) {
        uint256 length = 0;
        while (length < 32 && padded[length] != 0) length++;
        bytes memory trimmed = new bytes(length);
        for (uint256 i = 0; i < length; i++) trimmed[i] = padded[i];
        return string(trimmed);
    }

    function work() private {
        require(postOpSlots < 1000, "postOp refuses");
        for (uint256 i = 0; i < postOpSlots; i++) slots[i] += 1;
    }
}
