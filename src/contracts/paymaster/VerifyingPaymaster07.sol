// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC4337Utils} from "@openzeppelin/contracts/account/utils/ERC4337Utils.sol";
import {IEntryPoint, PackedUserOperation} from "@openzeppelin/contracts/interfaces/IERC4337.sol";
import {SignerECDSA} from "@openzeppelin/contracts/utils/cryptography/signers/SignerECDSA.sol";
import {Paymaster07} from "./Paymaster07.sol";
import {RotatingSigner} from "./RotatingSigner.sol";

/**
 * Pays for what its signer has signed; for EntryPoint 0.7 or 0.8. Terms: abi(uint48 validUntil, uint48 validAfter).
 * Validation reads the signer from storage of its own, which ERC-7562 (STO-032) grants to staked paymasters.
 */
contract VerifyingPaymaster07 is Paymaster07, RotatingSigner {
    uint256 private constant TERMS_LENGTH = 64;

    constructor(
        IEntryPoint entryPoint_,
        address owner_,
        address signer_
    ) Paymaster07(entryPoint_, owner_) SignerECDSA(signer_) {}

    function _validatePaymasterUserOp(
        PackedUserOperation calldata op,
        bytes32,
        uint256
    ) internal view override returns (bytes memory, uint256) {
        bytes calldata data = _data(op, TERMS_LENGTH + SIGNATURE_LENGTH);
        (uint48 validUntil, uint48 validAfter) = abi.decode(data[:TERMS_LENGTH], (uint48, uint48));
        bool signed = _rawSignatureValidation(_signedHash(op), data[TERMS_LENGTH:]);
        return ("", ERC4337Utils.packValidationData(signed, validAfter, validUntil));
    }
}
