// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/**
 * Stands at the EntryPoint's address in an eth_call with state override, and is never deployed.
 * It makes calls as the EntryPoint and measures each. What it is asked besides `probe` (deposits, nonces,
 * the prefund payment) the EntryPoint's own code answers, which the override puts at IMPLEMENTATION.
 */
contract EntryPointProbe {
    struct Call {
        address target;
        uint256 gasLimit;
        bytes data;
    }

    struct Outcome {
        bool success;
        /// What the call cost its caller, the call itself included.
        uint256 gasUsed;
        bytes returned;
    }

    address private constant IMPLEMENTATION = 0x7A4DE6B8c1F0a93e52D76B0849CA1E3f58d2b700;

    /// No more of an answer is copied: the largest paymaster context (ERC-7562) fits four times.
    uint256 private constant MAX_RETURNED = 8192;

    /// Calls in order; the first that fails is the last that is made.
    function probe(Call[] calldata calls) external returns (Outcome[] memory outcomes) {
        outcomes = new Outcome[](calls.length);
        // Touched here, so that its first use is not part of a measurement.
        uint256 warm = IMPLEMENTATION.code.length;
        for (uint256 i = 0; i < calls.length && warm > 0; i++) {
            outcomes[i] = measure(calls[i].target, calls[i].gasLimit, calls[i].data);
            if (!outcomes[i].success) break;
        }
    }

    function measure(
        address target,
        uint256 gasLimit,
        bytes memory data
    ) private returns (Outcome memory outcome) {
        bool success;
        uint256 gasUsed;
        bytes memory returned;
        assembly ("memory-safe") {
            let before := gas()
            success := call(gasLimit, target, 0, add(data, 0x20), mload(data), 0, 0)
            gasUsed := sub(before, gas())
            let length := returndatasize()
            if gt(length, MAX_RETURNED) {
                length := MAX_RETURNED
            }
            returned := mload(0x40)
            mstore(returned, length)
            returndatacopy(add(returned, 0x20), 0, length)
            mstore(0x40, and(add(add(returned, length), 0x3f), not(0x1f)))
        }
        outcome = Outcome(success, gasUsed, returned);
    }

    receive() external payable {
        delegate();
    }

    fallback() external payable {
        delegate();
    }

    function delegate() private {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let success := delegatecall(gas(), IMPLEMENTATION, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch success
            case 0 {
                revert(0, returndatasize())
            }
            default {
                return(0, returndatasize())
            }
        }
    }
}
