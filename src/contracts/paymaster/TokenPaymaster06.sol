// SPDX-License-Identifier: GPL-3.0
pragma solidity ^0.8.28;

import {SignerECDSA} from "@openzeppelin/contracts/utils/cryptography/signers/SignerECDSA.sol";
import {IERC20, SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {_packValidationData} from "entrypoint-0.6/core/Helpers.sol";
import {IEntryPoint} from "entrypoint-0.6/interfaces/IEntryPoint.sol";
import {UserOperation} from "entrypoint-0.6/interfaces/UserOperation.sol";
import {Paymaster06} from "./Paymaster06.sol";
import {TokenTerms} from "./TokenTerms.sol";

/**
 * Pays for an operation and is paid in a token, at a price that its signer has signed. To be staked.
 *
 * When the sender has approved enough, the highest cost is taken in validation and the rest returned in postOp. Else
 * the cost is taken in postOp, after the `approve` in the operation's calls. A sender that cannot pay then has its
 * calls undone; the cost of the gas is lost, and `tokenAmount` in the event is zero.
 */
contract TokenPaymaster06 is Paymaster06, TokenTerms {
    using SafeERC20 for IERC20;

    event UserOperationSponsored(
        bytes32 indexed userOpHash,
        address indexed token,
        uint256 tokenAmount,
        uint256 tokenPerNative
    );

    /// From validation to postOp. `taken` is zero when nothing was taken yet.
    struct Charge {
        bytes32 userOpHash;
        address sender;
        IERC20 token;
        uint256 rate;
        uint256 taken;
        uint256 maxFeePerGas;
        uint256 maxPriorityFeePerGas;
    }

    constructor(
        IEntryPoint entryPoint_,
        address owner_,
        address signer_,
        address feeReceiver_
    ) Paymaster06(entryPoint_, owner_) SignerECDSA(signer_) TokenTerms(feeReceiver_) {}

    function _validatePaymasterUserOp(
        UserOperation calldata op,
        bytes32 userOpHash,
        uint256 maxCost
    ) internal override returns (bytes memory, uint256) {
        (bool signed, Terms memory terms, uint256 rate) = _readTerms(_data(op, DATA_LENGTH), _signedHash(op));
        uint256 validationData = _packValidationData(!signed, terms.validUntil, terms.validAfter);
        if (!signed) return ("", validationData);

        uint256 highest = _tokens(maxCost, rate);
        if (terms.token.allowance(op.sender, address(this)) < highest) highest = 0;
        else require(_pull(terms.token, op.sender, highest), "token not received");
        require(op.verificationGasLimit >= _postOpGas(highest > 0), "verificationGasLimit below postOp's gas");
        Charge memory charge = Charge(
            userOpHash,
            op.sender,
            terms.token,
            rate,
            highest,
            op.maxFeePerGas,
            op.maxPriorityFeePerGas
        );
        return (abi.encode(charge), validationData);
    }

    /// The EntryPoint calls again with `postOpReverted` when this has reverted: a second revert would undo the bundle.
    function _postOp(PostOpMode mode, bytes calldata context, uint256 actualGasCost) internal override {
        Charge memory charge = abi.decode(context, (Charge));
        uint256 gasPrice = _gasPrice(charge.maxFeePerGas, charge.maxPriorityFeePerGas);
        uint256 due = _tokens(actualGasCost + _postOpGas(charge.taken > 0) * gasPrice, charge.rate);
        if (!_settle(charge, due)) {
            require(mode == PostOpMode.postOpReverted, "token not received");
            due = charge.taken;
        }
        emit UserOperationSponsored(charge.userOpHash, address(charge.token), due, charge.rate);
    }

    function _settle(Charge memory charge, uint256 due) private returns (bool) {
        if (charge.taken == 0) return _pull(charge.token, charge.sender, due);
        return due <= charge.taken && charge.token.trySafeTransfer(charge.sender, charge.taken - due);
    }

    function _tokens(uint256 cost, uint256 rate) private pure returns (uint256) {
        return Math.mulDiv(cost, rate, 1 ether, Math.Rounding.Ceil);
    }
}
