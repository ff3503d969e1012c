// SPDX-License-Identifier: GPL-3.0
pragma solidity ^0.8.28;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {BasePaymaster} from "entrypoint-0.6/core/BasePaymaster.sol";
import {_packValidationData} from "entrypoint-0.6/core/Helpers.sol";
import {IEntryPoint} from "entrypoint-0.6/interfaces/IEntryPoint.sol";
import {UserOperation} from "entrypoint-0.6/interfaces/UserOperation.sol";
import {Paymaster06} from "./Paymaster06.sol";

/**
 * One paymaster for many sponsors. A sponsor deposits, lists the accounts that it pays for, and signs each operation;
 * whoever signed pays. Terms: abi(uint48 validUntil, uint48 validAfter). To be staked.
 *
 * An operation's highest cost leaves the sponsor's balance in validation, and what it did not cost returns in postOp.
 * So the balances together never exceed the deposit at the EntryPoint, and only money that nothing in flight may cost
 * can be withdrawn. What the deposit has above the balances is the owner's; `deposit()` adds to nobody's balance.
 */
contract SponsorPaymaster06 is Paymaster06 {
    /// More than postOp takes with what the EntryPoint adds around it: a sponsor never pays less than it has cost.
    uint256 public constant POST_OP_GAS = 10_000;

    /// The longest batch of accounts.
    uint256 public constant MAX_BATCH = 10;

    uint256 private constant TERMS_LENGTH = 64;

    /// wei that a sponsor can spend or withdraw: what is in flight is not in it.
    mapping(address sponsor => uint256) public balanceOf;
    uint256 public totalBalance;

    mapping(address sponsor => mapping(address account => bool)) public isWhitelisted;

    event Deposited(address indexed sponsor, uint256 amount);
    event Withdrawn(address indexed sponsor, address indexed to, uint256 amount);
    event WhitelistAdded(address indexed sponsor, address indexed account);
    event WhitelistRemoved(address indexed sponsor, address indexed account);
    /// `cost` is what the sponsor has paid, in wei.
    event UserOperationSponsored(
        bytes32 indexed userOpHash,
        address indexed sponsor,
        address indexed sender,
        uint256 cost
    );

    /// From validation to postOp.
    struct Debit {
        bytes32 userOpHash;
        address sponsor;
        address sender;
        uint256 amount;
        uint256 maxFeePerGas;
        uint256 maxPriorityFeePerGas;
    }

    constructor(IEntryPoint entryPoint_, address owner_) Paymaster06(entryPoint_, owner_) {}

    /// Anyone may deposit for any sponsor.
    function depositFor(address sponsor) external payable {
        balanceOf[sponsor] += msg.value;
        totalBalance += msg.value;
        emit Deposited(sponsor, msg.value);
        entryPoint.depositTo{value: msg.value}(address(this));
    }

    function withdraw(address payable to, uint256 amount) external {
        _debit(msg.sender, amount);
        emit Withdrawn(msg.sender, to, amount);
        entryPoint.withdrawTo(to, amount);
    }

    /// The caller's own list. Accounts that are on it already change nothing.
    function addToWhitelist(address account) external {
        _setWhitelisted(account, true);
    }

    function addManyToWhitelist(address[] calldata accounts) external {
        _setManyWhitelisted(accounts, true);
    }

    function removeFromWhitelist(address account) external {
        _setWhitelisted(account, false);
    }

    function removeManyFromWhitelist(address[] calldata accounts) external {
        _setManyWhitelisted(accounts, false);
    }

    function areWhitelisted(
        address sponsor,
        address[] calldata accounts
    ) external view returns (bool[] memory listed) {
        listed = new bool[](accounts.length);
        for (uint256 i = 0; i < accounts.length; i++) listed[i] = isWhitelisted[sponsor][accounts[i]];
    }

    /// `withdrawTo` cannot be overridden, so its argument is judged here: sponsors' money is not the owner's.
    function _checkOwner() internal view override {
        super._checkOwner();
        if (msg.sig != BasePaymaster.withdrawTo.selector) return;
        (, uint256 amount) = abi.decode(msg.data[4:], (address, uint256));
        require(amount + totalBalance <= getDeposit(), "sponsors' money is not the owner's");
    }

    function _validatePaymasterUserOp(
        UserOperation calldata op,
        bytes32 userOpHash,
        uint256 maxCost
    ) internal override returns (bytes memory context, uint256 validationData) {
        bytes calldata data = _data(op, TERMS_LENGTH + SIGNATURE_LENGTH);
        require(op.verificationGasLimit >= POST_OP_GAS, "verificationGasLimit below postOp's gas");
        (uint48 validUntil, uint48 validAfter) = abi.decode(data[:TERMS_LENGTH], (uint48, uint48));
        // Zero when the signature is malformed; nobody can whitelist in the name of zero.
        (address sponsor, , ) = ECDSA.tryRecoverCalldata(_signedHash(op), data[TERMS_LENGTH:]);
        if (!isWhitelisted[sponsor][op.sender]) return ("", _packValidationData(true, validUntil, validAfter));

        require(balanceOf[sponsor] >= maxCost, "sponsor's balance below the highest cost");
        _debit(sponsor, maxCost);
        context = abi.encode(
            Debit(userOpHash, sponsor, op.sender, maxCost, op.maxFeePerGas, op.maxPriorityFeePerGas)
        );
        return (context, _packValidationData(false, validUntil, validAfter));
    }

    function _postOp(PostOpMode, bytes calldata context, uint256 actualGasCost) internal override {
        Debit memory debit = abi.decode(context, (Debit));
        uint256 cost = actualGasCost + POST_OP_GAS * _gasPrice(debit.maxFeePerGas, debit.maxPriorityFeePerGas);
        // The EntryPoint lets no operation cost more than it has debited.
        if (cost > debit.amount) cost = debit.amount;
        balanceOf[debit.sponsor] += debit.amount - cost;
        totalBalance += debit.amount - cost;
        emit UserOperationSponsored(debit.userOpHash, debit.sponsor, debit.sender, cost);
    }

    function _debit(address sponsor, uint256 amount) private {
        require(balanceOf[sponsor] >= amount, "balance too low");
        balanceOf[sponsor] -= amount;
        totalBalance -= amount;
    }

    function _setManyWhitelisted(address[] calldata accounts, bool listed) private {
        require(accounts.length <= MAX_BATCH, "more than 10 accounts");
        for (uint256 i = 0; i < accounts.length; i++) _setWhitelisted(accounts[i], listed);
    }

    function _setWhitelisted(address account, bool listed) private {
        if (isWhitelisted[msg.sender][account] == listed) return;
        isWhitelisted[msg.sender][account] = listed;
        if (listed) emit WhitelistAdded(msg.sender, account);
        else emit WhitelistRemoved(msg.sender, account);
    }
}
