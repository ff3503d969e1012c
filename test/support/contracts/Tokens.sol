// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// A token as it should be; anyone may mint.
contract PlainToken is ERC20 {
    uint8 private immutable _decimals;

    constructor(uint8 decimals_) ERC20("Plain", "PLN") {
        _decimals = decimals_;
    }

    function decimals() public view override returns (uint8) {
        return _decimals;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}

/// Of each transfer a hundredth is lost on the way.
contract FeeToken is PlainToken(18) {
    function _update(address from, address to, uint256 amount) internal override {
        super._update(from, to, amount);
        if (from != address(0) && to != address(0)) super._update(to, address(0), amount / 100);
    }
}

/// Says false where others revert, and whenever it is told to.
contract FalseToken is PlainToken(18) {
    bool public refusing;

    function refuse(bool refusing_) external {
        refusing = refusing_;
    }

    function transferFrom(address from, address to, uint256 amount) public override returns (bool) {
        if (refusing || allowance(from, msg.sender) < amount || balanceOf(from) < amount) return false;
        return super.transferFrom(from, to, amount);
    }

    function transfer(address to, uint256 amount) public override returns (bool) {
        return !refusing && super.transfer(to, amount);
    }
}

/// Makes a call of anyone's choice whenever it is transferred, as tokens with hooks let their holders do.
contract HookToken is PlainToken(18) {
    address public target;
    bytes public data;
    uint256 public called;

    function hook(address target_, bytes calldata data_) external {
        target = target_;
        data = data_;
    }

    function _update(address from, address to, uint256 amount) internal override {
        if (target != address(0)) {
            (bool success, ) = target.call(data);
            called += success ? 1 : 0;
        }
        super._update(from, to, amount);
    }
}

/// Returns nothing from transfer, transferFrom and approve, as USDT does.
contract SilentToken {
    uint8 public constant decimals = 6;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function approve(address spender, uint256 amount) external {
        allowance[msg.sender][spender] = amount;
    }

    function transfer(address to, uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
    }

    function transferFrom(address from, address to, uint256 amount) external {
        allowance[from][msg.sender] -= amount;
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
    }
}

/// A price feed that says what it is told.
contract TestFeed {
    uint8 public immutable decimals;
    int256 public answer;
    uint256 public updatedAt;

    constructor(uint8 decimals_) {
        decimals = decimals_;
    }

    function set(int256 answer_, uint256 updatedAt_) external {
        answer = answer_;
        updatedAt = updatedAt_;
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        return (1, answer, updatedAt, updatedAt, 1);
    }
}

/// As dear to move as USDC: behind a proxy, with a list of the blocked and a switch.
contract GuardedToken is PlainToken(6) {
    bool public paused;
    mapping(address => bool) public blocked;

    function _update(address from, address to, uint256 amount) internal override {
        require(!paused && !blocked[from] && !blocked[to] && !blocked[msg.sender]);
        super._update(from, to, amount);
    }
}

contract ProxiedToken is ERC1967Proxy {
    constructor() ERC1967Proxy(address(new GuardedToken()), "") {}

    function _unsafeAllowUninitialized() internal pure override returns (bool) {
        return true;
    }
}
