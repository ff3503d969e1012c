// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// For what has owner's functions and leaves it to others who the owner is: BasePaymaster of 0.6 brings its Ownable along.
abstract contract Owned {
    /// Reverts for everybody else.
    function _onlyOwner() internal view virtual;
}
