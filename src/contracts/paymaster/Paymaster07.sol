// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {Paymaster} from "@openzeppelin/contracts/account/paymaster/Paymaster.sol";
import {IEntryPoint, PackedUserOperation} from "@openzeppelin/contracts/interfaces/IERC4337.sol";
import {eip191Hash} from "./Eip191.sol";
import {Owned} from "./Owned.sol";

/**
 * What our paymasters of EntryPoint 0.7 and 0.8 share: paymasterAndData is paymaster(20) ‖ gas limits(32) ‖ terms ‖
 * signature(65), the signature is over the whole operation but itself and the account's, and the owner has the
 * functions that account-abstraction's BasePaymaster has.
 */
abstract contract Paymaster07 is Paymaster, Ownable2Step, Owned {
    uint256 internal constant SIGNATURE_LENGTH = 65;

    /// Where the terms begin in paymasterAndData.
    uint256 internal constant TERMS_OFFSET = 52;

    IEntryPoint private immutable _entryPoint;

    constructor(IEntryPoint entryPoint_, address owner_) Ownable(owner_) {
        _entryPoint = entryPoint_;
    }

    function entryPoint() public view virtual override returns (IEntryPoint) {
        return _entryPoint;
    }

    /// What is to be signed by EIP-191. The last 65 bytes of paymasterAndData and the account's signature are left out.
    function getHash(PackedUserOperation calldata op) public view returns (bytes32) {
        bytes calldata data = op.paymasterAndData;
        return
            keccak256(
                abi.encode(
                    op.sender,
                    op.nonce,
                    keccak256(op.initCode),
                    keccak256(op.callData),
                    op.accountGasLimits,
                    op.preVerificationGas,
                    op.gasFees,
                    keccak256(data[:data.length - SIGNATURE_LENGTH]),
                    block.chainid
                )
            );
    }

    function deposit() external payable {
        _deposit(msg.value);
    }

    function getDeposit() external view returns (uint256) {
        return entryPoint().balanceOf(address(this));
    }

    function withdrawTo(address payable to, uint256 amount) external onlyOwner {
        _withdraw(to, amount);
    }

    function addStake(uint32 unstakeDelaySec) external payable onlyOwner {
        _addStake(msg.value, unstakeDelaySec);
    }

    function unlockStake() external onlyOwner {
        _unlockStake();
    }

    function withdrawStake(address payable to) external onlyOwner {
        _withdrawStake(to);
    }

    function _onlyOwner() internal view override {
        _checkOwner();
    }

    /// terms ‖ signature, of exactly `length` bytes.
    function _data(PackedUserOperation calldata op, uint256 length) internal pure returns (bytes calldata) {
        require(op.paymasterAndData.length == TERMS_OFFSET + length, "paymasterAndData has a wrong length");
        return op.paymasterAndData[TERMS_OFFSET:];
    }

    function _signedHash(PackedUserOperation calldata op) internal view returns (bytes32) {
        return eip191Hash(getHash(op));
    }
}
