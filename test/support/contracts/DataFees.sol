// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Answers as Arbitrum's virtual NodeInterface does, with prices that a test sets.
contract NodeInterface {
    uint256 public pricePerUnit;

    function setPricePerUnit(uint256 price) external {
        pricePerUnit = price;
    }

    function gasEstimateL1Component(address, bool, bytes calldata)
        external
        payable
        returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate)
    {
        return (0, block.basefee, pricePerUnit);
    }
}

/// Answers as Arbitrum's precompile ArbOwnerPublic does.
contract ArbOwnerPublic {
    function getBrotliCompressionLevel() external pure returns (uint64) {
        return 1;
    }
}

/// An oracle of Isthmus or later, with the operator's fee that a test wants.
contract IsthmusOracle {
    bool public constant isFjord = true;
    uint256 public constant l1BaseFee = 1;
    uint256 public constant blobBaseFee = 2;
    uint32 public constant baseFeeScalar = 3;
    uint32 public constant blobBaseFeeScalar = 4;

    /// Jovian: scalar × 100 a gas, and a constant.
    function getOperatorFee(uint256 gasUsed) external pure returns (uint256) {
        return gasUsed * 7 * 100 + 9;
    }
}

/// An oracle from before Fjord.
contract EcotoneOracle {
    bool public constant isEcotone = true;
    uint256 public constant l1BaseFee = 1;
}
