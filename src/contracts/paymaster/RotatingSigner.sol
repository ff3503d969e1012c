// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {SignerECDSA} from "@openzeppelin/contracts/utils/cryptography/signers/SignerECDSA.sol";
import {Owned} from "./Owned.sol";

/// A signer that the owner may replace. Signatures of the one before are worthless from then on.
abstract contract RotatingSigner is Owned, SignerECDSA {
    event SignerChanged(address indexed signer);

    function setSigner(address signer_) external {
        _onlyOwner();
        _setSigner(signer_);
        emit SignerChanged(signer_);
    }
}
