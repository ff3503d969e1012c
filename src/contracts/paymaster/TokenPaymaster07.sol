// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Paymaster} from "@openzeppelin/contracts/account/paymaster/Paymaster.sol";
import {PaymasterERC20} from "@openzeppelin/contracts/account/paymaster/extensions/PaymasterERC20.sol";
import {ERC4337Utils} from "@openzeppelin/contracts/account/utils/ERC4337Utils.sol";
import {IEntryPoint, PackedUserOperation} from "@openzeppelin/contracts/interfaces/IERC4337.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SignerECDSA} from "@openzeppelin/contracts/utils/cryptography/signers/SignerECDSA.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {Paymaster07} from "./Paymaster07.sol";
import {TokenTerms} from "./TokenTerms.sol";

/**
 * Pays for an operation and is paid in a token, at a price that its signer has signed; for EntryPoint 0.7 or 0.8. To
 * be staked.
 *
 * When the sender has approved enough, the highest cost is taken in validation and the rest returned in postOp. Else
 * the cost is taken in postOp, after the `approve` in the operation's calls. A sender that cannot pay then has its
 * calls undone, and the cost of the gas is lost.
 */
contract TokenPaymaster07 is Paymaster07, PaymasterERC20, TokenTerms {
    using ERC4337Utils for PackedUserOperation;
    using Math for uint256;

    /// The EntryPoint takes a tenth of the gas that was reserved and not used.
    uint256 private constant PENALTY_DIVISOR = 10;

    /// 0.7 takes it from any amount and, unlike 0.8, tells postOp nothing of the part for callGasLimit.
    bool private immutable _penaltyUntold;

    constructor(
        IEntryPoint entryPoint_,
        address owner_,
        address signer_,
        address feeReceiver_
    ) Paymaster07(entryPoint_, owner_) SignerECDSA(signer_) TokenTerms(feeReceiver_) {
        _penaltyUntold = entryPoint_ == ERC4337Utils.ENTRYPOINT_V07;
    }

    function entryPoint() public view override(Paymaster, Paymaster07) returns (IEntryPoint) {
        return Paymaster07.entryPoint();
    }

    function _postOp(
        PostOpMode mode,
        bytes calldata context,
        uint256 actualGasCost,
        uint256 feePerGas
    ) internal override(Paymaster, PaymasterERC20) {
        PaymasterERC20._postOp(mode, context, actualGasCost, feePerGas);
    }

    function _fetchDetails(
        PackedUserOperation calldata op,
        bytes32
    ) internal view override returns (uint256 validationData, IERC20 token, uint256 tokenPerNative) {
        (bool signed, Terms memory terms, uint256 rate) = _readTerms(_data(op, DATA_LENGTH), _signedHash(op));
        return (
            ERC4337Utils.packValidationData(signed, terms.validAfter, terms.validUntil),
            terms.token,
            rate
        );
    }

    /// The context for `_refund` is the gas that PaymasterERC20 does not count.
    function _prefund(
        PackedUserOperation calldata op,
        bytes32,
        IERC20 token,
        uint256 tokenPerNative,
        address sender,
        uint256 amount
    ) internal override returns (bool, address, uint256, bytes memory) {
        uint256 penalty = _penaltyUntold ? op.callGasLimit() / PENALTY_DIVISOR : 0;
        amount = amount.saturatingAdd(_erc20Cost(penalty.saturatingMul(op.maxFeePerGas()), tokenPerNative));
        if (token.allowance(sender, address(this)) < amount) amount = 0;
        else require(_pull(token, sender, amount), "token not received");
        uint256 postOpGas = _postOpGas(amount > 0);
        require(op.paymasterPostOpGasLimit() >= postOpGas, "paymasterPostOpGasLimit below postOp's gas");
        return (true, sender, amount, abi.encode(penalty + postOpGas - _postOpCost()));
    }

    function _refund(
        IERC20 token,
        uint256 tokenPerNative,
        uint256 due,
        uint256 feePerGas,
        address sender,
        uint256 taken,
        bytes calldata context
    ) internal override returns (bool, uint256) {
        due += _erc20Cost(abi.decode(context, (uint256)) * feePerGas, tokenPerNative);
        if (taken == 0) return (_pull(token, sender, due), due);
        return super._refund(token, tokenPerNative, due, feePerGas, sender, taken, context);
    }

    function _postOpCost() internal pure override returns (uint256) {
        return REFUND_GAS;
    }

    function _postOpGasPenalty(uint256 postOpGasLimit) internal view override returns (uint256) {
        return _penaltyUntold ? postOpGasLimit / PENALTY_DIVISOR : super._postOpGasPenalty(postOpGasLimit);
    }
}
