// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// A price feed of a development chain, in the form of Chainlink's: anyone may set its price.
contract DevFeed {
    uint8 public constant decimals = 8;
    int256 private _answer;
    uint256 private _updatedAt;

    constructor(int256 answer) {
        set(answer);
    }

    function set(int256 answer) public {
        _answer = answer;
        _updatedAt = block.timestamp;
    }

    function latestRoundData()
        external
        view
        returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        return (1, _answer, _updatedAt, _updatedAt, 1);
    }
}
