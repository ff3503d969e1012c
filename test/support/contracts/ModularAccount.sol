// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {AccountERC7579} from "@openzeppelin/contracts/account/extensions/draft-AccountERC7579.sol";
import {ERC4337Utils} from "@openzeppelin/contracts/account/utils/ERC4337Utils.sol";
import {IEntryPoint, PackedUserOperation} from "@openzeppelin/contracts/interfaces/IERC4337.sol";
import {IERC7579Validator, MODULE_TYPE_VALIDATOR} from "@openzeppelin/contracts/interfaces/draft-IERC7579.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// OpenZeppelin's modular account (ERC-7579), with one validator from the start and no key of its own.
contract ModularAccount is AccountERC7579 {
    constructor(address validator, bytes memory initData) {
        _installModule(MODULE_TYPE_VALIDATOR, validator, initData);
    }

    function entryPoint() public pure override returns (IEntryPoint) {
        return ERC4337Utils.ENTRYPOINT_V08;
    }

    function _rawSignatureValidation(bytes32, bytes calldata) internal pure override returns (bool) {
        return false;
    }
}

/// An ERC-7579 validator: the owner of each account signs the hash of its operations.
contract OwnerValidator is IERC7579Validator {
    mapping(address => address) public ownerOf;

    function onInstall(bytes calldata data) external {
        ownerOf[msg.sender] = address(bytes20(data));
    }

    function onUninstall(bytes calldata) external {
        delete ownerOf[msg.sender];
    }

    function isModuleType(uint256 kind) external pure returns (bool) {
        return kind == MODULE_TYPE_VALIDATOR;
    }

    function validateUserOp(PackedUserOperation calldata op, bytes32 hash) external view returns (uint256) {
        (address signer, , ) = ECDSA.tryRecover(hash, op.signature);
        return signer == ownerOf[msg.sender] ? 0 : 1;
    }

    function isValidSignatureWithSender(address, bytes32, bytes calldata) external pure returns (bytes4) {
        return 0xffffffff;
    }
}

interface IStakes {
    function addStake(uint32 unstakeDelaySec) external payable;
}

contract ModularAccountFactory {
    address public immutable validator;

    constructor(address validator_) {
        validator = validator_;
    }

    /// The accounts' validator keeps their owners in its own storage: ERC-7562 wants the factory to be staked (STO-022).
    function stake(address entryPoint, uint32 unstakeDelaySec) external payable {
        IStakes(entryPoint).addStake{value: msg.value}(unstakeDelaySec);
    }

    /// Gives the address also of an account that is there already.
    function create(address owner, uint256 salt) external returns (address account) {
        account = addressOf(owner, salt);
        if (account.code.length == 0) {
            new ModularAccount{salt: bytes32(salt)}(validator, abi.encodePacked(owner));
        }
    }

    function addressOf(address owner, uint256 salt) public view returns (address) {
        bytes memory code = abi.encodePacked(
            type(ModularAccount).creationCode,
            abi.encode(validator, abi.encodePacked(owner))
        );
        bytes32 hash = keccak256(abi.encodePacked(bytes1(0xff), address(this), bytes32(salt), keccak256(code)));
        return address(uint160(uint256(hash)));
    }
}
