// SPDX-License-Identifier: GPL-3.0
pragma solidity ^0.8.28;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {BasePaymaster} from "entrypoint-0.6/core/BasePaymaster.sol";
import {IEntryPoint} from "entrypoint-0.6/interfaces/IEntryPoint.sol";
import {UserOperation} from "entrypoint-0.6/interfaces/UserOperation.sol";
import {eip191Hash} from "./Eip191.sol";
import {Owned} from "./Owned.sol";

/**
 * What our paymasters of EntryPoint 0.6 share: paymasterAndData is paymaster(20) ‖ terms ‖ signature(65), and the
 * signature is over the whole operation but itself and the account's. Refusals are strings, because the EntryPoint
 * of 0.6 passes no others on.
 */
abstract contract Paymaster06 is BasePaymaster, Ownable2Step, Owned {
    uint256 internal constant SIGNATURE_LENGTH = 65;

    /// Where the terms begin in paymasterAndData.
    uint256 internal constant TERMS_OFFSET = 20;

    constructor(IEntryPoint entryPoint_, address owner_) BasePaymaster(entryPoint_) Ownable(owner_) {}

    /// What is to be signed by EIP-191. The last 65 bytes of paymasterAndData and the account's signature are left out.
    function getHash(UserOperation calldata op) public view returns (bytes32) {
        bytes calldata data = op.paymasterAndData;
        return
            keccak256(
                abi.encode(
                    op.sender,
                    op.nonce,
                    keccak256(op.initCode),
                    keccak256(op.callData),
                    op.callGasLimit,
                    op.verificationGasLimit,
                    op.preVerificationGas,
                    op.maxFeePerGas,
                    op.maxPriorityFeePerGas,
                    keccak256(data[:data.length - SIGNATURE_LENGTH]),
                    block.chainid
                )
            );
    }

    function transferOwnership(address newOwner) public override(Ownable, Ownable2Step) {
        super.transferOwnership(newOwner);
    }

    function _transferOwnership(address newOwner) internal override(Ownable, Ownable2Step) {
        super._transferOwnership(newOwner);
    }

    function _onlyOwner() internal view override {
        _checkOwner();
    }

    /// terms ‖ signature, of exactly `length` bytes.
    function _data(UserOperation calldata op, uint256 length) internal pure returns (bytes calldata) {
        require(op.paymasterAndData.length == TERMS_OFFSET + length, "paymasterAndData has a wrong length");
        return op.paymasterAndData[TERMS_OFFSET:];
    }

    function _signedHash(UserOperation calldata op) internal view returns (bytes32) {
        return eip191Hash(getHash(op));
    }

    /// What a unit of gas costs now an operation with these fees, as the EntryPoint counts.
    function _gasPrice(uint256 maxFeePerGas, uint256 maxPriorityFeePerGas) internal view returns (uint256) {
        if (maxFeePerGas == maxPriorityFeePerGas) return maxFeePerGas;
        uint256 price = maxPriorityFeePerGas + block.basefee;
        return price < maxFeePerGas ? price : maxFeePerGas;
    }
}
