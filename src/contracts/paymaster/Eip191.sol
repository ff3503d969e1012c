// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// What wallets sign as a message of 32 bytes. (OpenZeppelin's MessageHashUtils needs an EVM of Cancun.)
function eip191Hash(bytes32 message) pure returns (bytes32) {
    return keccak256(abi.encodePacked("\x19Ethereum Signed Message:\n32", message));
}
