// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {IERC20, SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {RotatingSigner} from "./RotatingSigner.sol";

/// The part of Chainlink's feeds that is used.
interface AggregatorV3 {
    function decimals() external view returns (uint8);

    function latestRoundData()
        external
        view
        returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound);
}

/**
 * What our token paymasters share: the terms that their signer signs, feeds, and where the tokens go.
 *
 * Data: price source(1) ‖ abi(Terms)(192) ‖ signature(65). Source 0: `exchangeRate` is the price. Source 1: the feeds
 * are, and `exchangeRate` is the most that was agreed to.
 */
abstract contract TokenTerms is RotatingSigner {
    using SafeERC20 for IERC20;

    struct Terms {
        uint48 validUntil;
        uint48 validAfter;
        IERC20 token;
        address reserved;
        /// The token's smallest units for one native coin.
        uint256 exchangeRate;
        /// 1e6 is 100 %.
        uint32 priceMarkup;
    }

    /// Both feeds are in the same currency. `maxAge` in seconds.
    struct Feed {
        AggregatorV3 source;
        uint32 maxAge;
        uint8 feedDecimals;
        uint8 coinDecimals;
    }

    /// More than postOp takes with what the EntryPoint adds around it, when it returns the rest of a token.
    uint256 public constant REFUND_GAS = 20_000;

    /// And when it takes a token, which may be one behind a proxy.
    uint256 public constant CHARGE_GAS = 60_000;

    uint256 internal constant DATA_LENGTH = 258;
    uint256 private constant SIGNATURE_OFFSET = 193;
    uint256 private constant WHOLE_MARKUP = 1e6;
    bytes1 private constant SIGNED_PRICE = 0x00;
    bytes1 private constant FEED_PRICE = 0x01;

    /// Tokens that were charged stay here until they are collected: paying each charge out would cost every operation.
    address public feeReceiver;
    Feed public nativeFeed;
    mapping(IERC20 token => Feed) public tokenFeed;

    event FeeReceiverChanged(address indexed feeReceiver);
    /// For the native coin `token` is zero.
    event FeedChanged(address indexed token, address indexed source, uint32 maxAge);

    constructor(address feeReceiver_) {
        _setFeeReceiver(feeReceiver_);
    }

    function setFeeReceiver(address feeReceiver_) external {
        _onlyOwner();
        _setFeeReceiver(feeReceiver_);
    }

    function setNativeFeed(AggregatorV3 source, uint32 maxAge) external {
        _onlyOwner();
        nativeFeed = Feed(source, maxAge, source.decimals(), 18);
        emit FeedChanged(address(0), address(source), maxAge);
    }

    function setTokenFeed(IERC20Metadata token, AggregatorV3 source, uint32 maxAge) external {
        _onlyOwner();
        tokenFeed[token] = Feed(source, maxAge, source.decimals(), token.decimals());
        emit FeedChanged(address(token), address(source), maxAge);
    }

    function removeTokenFeed(IERC20 token) external {
        _onlyOwner();
        delete tokenFeed[token];
        emit FeedChanged(address(token), address(0), 0);
    }

    /// Sends `amount` of what was charged to the fee receiver; everything when it is the highest uint256.
    function collect(IERC20 token, uint256 amount) external {
        _onlyOwner();
        token.safeTransfer(feeReceiver, amount == type(uint256).max ? token.balanceOf(address(this)) : amount);
    }

    /// The feeds' price of one native coin in `token`'s smallest units, and until when it is fresh enough.
    function feedRate(IERC20 token) public view returns (uint256 rate, uint48 freshUntil) {
        Feed memory ofToken = tokenFeed[token];
        (uint256 nativePrice, uint256 nativeUntil) = _read(nativeFeed);
        (uint256 tokenPrice, uint256 tokenUntil) = _read(ofToken);
        rate = Math.mulDiv(
            nativePrice,
            10 ** (uint256(ofToken.feedDecimals) + ofToken.coinDecimals),
            tokenPrice * 10 ** nativeFeed.feedDecimals,
            Math.Rounding.Ceil
        );
        freshUntil = SafeCast.toUint48(Math.min(nativeUntil, tokenUntil));
    }

    /// `rate`: token units for one native coin, with the mark-up. Nothing but `signed` counts when that is false.
    function _readTerms(
        bytes calldata data,
        bytes32 signedHash
    ) internal view returns (bool signed, Terms memory terms, uint256 rate) {
        signed = _rawSignatureValidation(signedHash, data[SIGNATURE_OFFSET:]);
        terms = abi.decode(data[1:SIGNATURE_OFFSET], (Terms));
        if (!signed) return (false, terms, 0);
        rate = terms.exchangeRate;
        if (data[0] == FEED_PRICE) {
            uint48 freshUntil;
            (rate, freshUntil) = feedRate(terms.token);
            require(rate <= terms.exchangeRate, "feed's price above what was agreed");
            if (terms.validUntil == 0 || terms.validUntil > freshUntil) terms.validUntil = freshUntil;
        } else {
            require(data[0] == SIGNED_PRICE, "unknown price source");
        }
        rate = Math.mulDiv(rate, terms.priceMarkup, WHOLE_MARKUP, Math.Rounding.Ceil);
        require(rate > 0, "rate is zero");
    }

    /// Whether the whole `amount` has arrived here.
    function _pull(IERC20 token, address from, uint256 amount) internal returns (bool) {
        uint256 before = token.balanceOf(address(this));
        return
            token.trySafeTransferFrom(from, address(this), amount) &&
            token.balanceOf(address(this)) >= before + amount;
    }

    /// What postOp will take, by whether tokens were taken in validation.
    function _postOpGas(bool prepaid) internal pure returns (uint256) {
        return prepaid ? REFUND_GAS : CHARGE_GAS;
    }

    function _read(Feed memory feed) private view returns (uint256 price, uint256 freshUntil) {
        require(address(feed.source) != address(0), "no feed");
        (, int256 answer, , uint256 updatedAt, ) = feed.source.latestRoundData();
        require(answer > 0 && updatedAt > 0, "feed has no price");
        return (uint256(answer), updatedAt + feed.maxAge);
    }

    function _setFeeReceiver(address feeReceiver_) private {
        require(feeReceiver_ != address(0), "no fee receiver");
        feeReceiver = feeReceiver_;
        emit FeeReceiverChanged(feeReceiver_);
    }
}
