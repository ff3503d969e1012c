// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// A factory that returns the address that it is given and deploys nothing.
contract EmptyFactory {
    function create(address sender) external pure returns (address) {
        return sender;
    }
}

/// A factory that refuses.
contract RefusingFactory {
    function create(address) external pure returns (address) {
        revert("not today");
    }
}
