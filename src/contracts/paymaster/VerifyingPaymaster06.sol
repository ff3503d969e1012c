// SPDX-License-Identifier: GPL-3.0
pragma solidity ^0.8.28;

import {SignerECDSA} from "@openzeppelin/contracts/utils/cryptography/signers/SignerECDSA.sol";
import {_packValidationData} from "entrypoint-0.6/core/Helpers.sol";
import {IEntryPoint} from "entrypoint-0.6/interfaces/IEntryPoint.sol";
import {UserOperation} from "entrypoint-0.6/interfaces/UserOperation.sol";
import {Paymaster06} from "./Paymaster06.sol";
import {RotatingSigner} from "./RotatingSigner.sol";

/**
 * Pays for what its signer has signed. Terms: abi(uint48 validUntil, uint48 validAfter).
 * Validation reads the signer from storage of its own, which ERC-7562 (STO-032) grants to staked paymasters.
 */
contract VerifyingPaymaster06 is Paymaster06, RotatingSigner {
    uint256 private constant TERMS_LENGTH = 64;

    constructor(
        IEntryPoint entryPoint_,
        address owner_,
        address signer_
    ) Paymaster06(entryPoint_, owner_) SignerECDSA(signer_) {}

    function _validatePaymasterUserOp(
        UserOperation calldata op,
        bytes32,
        uint256
    ) internal view override returns (bytes memory, uint256) {
        bytes calldata data = _data(op, TERMS_LENGTH + SIGNATURE_LENGTH);
        (uint48 validUntil, uint48 validAfter) = abi.decode(data[:TERMS_LENGTH], (uint48, uint48));
        bool signed = _rawSignatureValidation(_signedHash(op), data[TERMS_LENGTH:]);
        return ("", _packValidationData(!signed, validUntil, validAfter));
    }
}
