// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// An account of every EntryPoint version, without an owner. Its validation decides by what ERC-7562 forbids to look at.
abstract contract Trickster {
    function judge() internal view virtual returns (uint256 validationData);

    /// validateUserOp(operation, hash, missing), whatever the operation's struct.
    fallback() external payable {
        uint256 validationData = judge();
        uint256 missing = abi.decode(msg.data[68:100], (uint256));
        if (missing > 0) {
            (bool paid, ) = msg.sender.call{value: missing}("");
            require(paid);
        }
        assembly {
            mstore(0, validationData)
            return(0, 32)
        }
    }

    receive() external payable {}
}

/// Agrees while nobody pays for gas, as in a simulation, and refuses in a transaction.
contract Turncoat is Trickster {
    function judge() internal view override returns (uint256) {
        require(tx.gasprice == 0, "not for money");
        return 0;
    }
}

/// Refuses when another of its kind was there in the same transaction: what that one looked at is cheap to look at.
contract Loner is Trickster {
    address constant meetingPoint = address(0x10AE4);

    function judge() internal view override returns (uint256) {
        uint256 before = gasleft();
        uint256 price = meetingPoint.balance;
        price = before - gasleft();
        require(price > 1000, "not alone");
        return 0;
    }
}

/// Valid for half a minute from whenever it is asked.
contract Mayfly is Trickster {
    function judge() internal view override returns (uint256) {
        return (block.timestamp + 31) << 160;
    }
}
