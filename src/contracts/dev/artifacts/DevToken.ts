import type { Hex } from 'viem'

export const abi = [
  {
    "inputs": [
      {
        "internalType": "string",
        "name": "symbol",
        "type": "string"
      },
      {
        "internalType": "uint8",
        "name": "decimals_",
        "type": "uint8"
      }
    ],
    "stateMutability": "nonpayable",
    "type": "constructor"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "spender",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "allowance",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "needed",
        "type": "uint256"
      }
    ],
    "name": "ERC20InsufficientAllowance",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "sender",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "balance",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "needed",
        "type": "uint256"
      }
    ],
    "name": "ERC20InsufficientBalance",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "approver",
        "type": "address"
      }
    ],
    "name": "ERC20InvalidApprover",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "receiver",
        "type": "address"
      }
    ],
    "name": "ERC20InvalidReceiver",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "sender",
        "type": "address"
      }
    ],
    "name": "ERC20InvalidSender",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "spender",
        "type": "address"
      }
    ],
    "name": "ERC20InvalidSpender",
    "type": "error"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "owner",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "spender",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      }
    ],
    "name": "Approval",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "from",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "to",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      }
    ],
    "name": "Transfer",
    "type": "event"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "owner",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "spender",
        "type": "address"
      }
    ],
    "name": "allowance",
    "outputs": [
      {
        "internalType": "uint256",
        "name": "",
        "type": "uint256"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "spender",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      }
    ],
    "name": "approve",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "account",
        "type": "address"
      }
    ],
    "name": "balanceOf",
    "outputs": [
      {
        "internalType": "uint256",
        "name": "",
        "type": "uint256"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "decimals",
    "outputs": [
      {
        "internalType": "uint8",
        "name": "",
        "type": "uint8"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "to",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "amount",
        "type": "uint256"
      }
    ],
    "name": "mint",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "name",
    "outputs": [
      {
        "internalType": "string",
        "name": "",
        "type": "string"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "symbol",
    "outputs": [
      {
        "internalType": "string",
        "name": "",
        "type": "string"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "totalSupply",
    "outputs": [
      {
        "internalType": "uint256",
        "name": "",
        "type": "uint256"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "to",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      }
    ],
    "name": "transfer",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "from",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "to",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      }
    ],
    "name": "transferFrom",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "nonpayable",
    "type": "function"
  }
] as const

export const bytecode: Hex =
  '0x60a060405234801561001057600080fd5b50604051610c95380380610c9583398101604081905261002f91610085565b8180600361003d82826101f8565b50600461004a82826101f8565b50505060ff16608052506102ba565b634e487b7160e01b600052604160045260246000fd5b805160ff8116811461008057600080fd5b919050565b6000806040838503121561009857600080fd5b82516001600160401b038111156100ae57600080fd5b8301601f810185136100bf57600080fd5b80516001600160401b038111156100d8576100d8610059565b604051601f8201601f19908116603f011681016001600160401b038111828210171561010657610106610059565b60405281815282820160200187101561011e57600080fd5b60005b8281101561013d57602081850181015183830182015201610121565b506000602083830101528094505050506101596020840161006f565b90509250929050565b600181811c9082168061017657607f821691505b60208210810361019657634e487b7160e01b600052602260045260246000fd5b50919050565b601f8211156101f357828211156101f357806000526020600020601f840160051c60208510156101ca575060005b90810190601f840160051c0360005b818110156101ef576000838201556001016101d9565b5050505b505050565b81516001600160401b0381111561021157610211610059565b6102258161021f8454610162565b8461019c565b6020601f82116001811461025957600083156102415750848201515b600019600385901b1c1916600184901b1784556102b3565b600084815260208120601f198516915b828110156102895787850151825560209485019460019092019101610269565b50848210156102a75786840151600019600387901b60f8161c191681555b505060018360011b0184555b5050505050565b6080516109c06102d5600039600061013001526109c06000f3fe608060405234801561001057600080fd5b50600436106100be5760003560e01c806340c10f191161007657806395d89b411161005b57806395d89b41146101a5578063a9059cbb146101ad578063dd62ed3e146101c057600080fd5b806340c10f191461015a57806370a082311461016f57600080fd5b806318160ddd116100a757806318160ddd1461010457806323b872dd14610116578063313ce5671461012957600080fd5b806306fdde03146100c3578063095ea7b3146100e1575b600080fd5b6100cb610206565b6040516100d891906107e2565b60405180910390f35b6100f46100ef366004610877565b610298565b60405190151581526020016100d8565b6002545b6040519081526020016100d8565b6100f46101243660046108a1565b6102b2565b60405160ff7f00000000000000000000000000000000000000000000000000000000000000001681526020016100d8565b61016d610168366004610877565b6102d6565b005b61010861017d3660046108de565b73ffffffffffffffffffffffffffffffffffffffff1660009081526020819052604090205490565b6100cb6102e4565b6100f46101bb366004610877565b6102f3565b6101086101ce366004610900565b73ffffffffffffffffffffffffffffffffffffffff918216600090815260016020908152604080832093909416825291909152205490565b60606003805461021590610933565b80601f016020809104026020016040519081016040528092919081815260200182805461024190610933565b801561028e5780601f106102635761010080835404028352916020019161028e565b820191906000526020600020905b81548152906001019060200180831161027157829003601f168201915b5050505050905090565b6000336102a6818585610301565b60019150505b92915050565b6000336102c0858285610313565b6102cb8585856103e8565b506001949350505050565b6102e08282610493565b5050565b60606004805461021590610933565b6000336102a68185856103e8565b61030e83838360016104ef565b505050565b73ffffffffffffffffffffffffffffffffffffffff8381166000908152600160209081526040808320938616835292905220547fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8110156103e257818110156103d3576040517ffb8f41b200000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff8416600482015260248101829052604481018390526064015b60405180910390fd5b6103e2848484840360006104ef565b50505050565b73ffffffffffffffffffffffffffffffffffffffff8316610438576040517f96c6fd1e000000000000000000000000000000000000000000000000000000008152600060048201526024016103ca565b73ffffffffffffffffffffffffffffffffffffffff8216610488576040517fec442f05000000000000000000000000000000000000000000000000000000008152600060048201526024016103ca565b61030e838383610637565b73ffffffffffffffffffffffffffffffffffffffff82166104e3576040517fec442f05000000000000000000000000000000000000000000000000000000008152600060048201526024016103ca565b6102e060008383610637565b73ffffffffffffffffffffffffffffffffffffffff841661053f576040517fe602df05000000000000000000000000000000000000000000000000000000008152600060048201526024016103ca565b73ffffffffffffffffffffffffffffffffffffffff831661058f576040517f94280d62000000000000000000000000000000000000000000000000000000008152600060048201526024016103ca565b73ffffffffffffffffffffffffffffffffffffffff808516600090815260016020908152604080832093871683529290522082905580156103e2578273ffffffffffffffffffffffffffffffffffffffff168473ffffffffffffffffffffffffffffffffffffffff167f8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b9258460405161062991815260200190565b60405180910390a350505050565b73ffffffffffffffffffffffffffffffffffffffff831661066f5780600260008282546106649190610986565b909155506107219050565b73ffffffffffffffffffffffffffffffffffffffff8316600090815260208190526040902054818110156106f5576040517fe450d38c00000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff8516600482015260248101829052604481018390526064016103ca565b73ffffffffffffffffffffffffffffffffffffffff841660009081526020819052604090209082900390555b73ffffffffffffffffffffffffffffffffffffffff821661074a57600280548290039055610776565b73ffffffffffffffffffffffffffffffffffffffff821660009081526020819052604090208054820190555b8173ffffffffffffffffffffffffffffffffffffffff168373ffffffffffffffffffffffffffffffffffffffff167fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef836040516107d591815260200190565b60405180910390a3505050565b602081526000825180602084015260005b8181101561081057602081860181015160408684010152016107f3565b5060006040828501015260407fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f83011684010191505092915050565b803573ffffffffffffffffffffffffffffffffffffffff8116811461087257600080fd5b919050565b6000806040838503121561088a57600080fd5b6108938361084e565b946020939093013593505050565b6000806000606084860312156108b657600080fd5b6108bf8461084e565b92506108cd6020850161084e565b929592945050506040919091013590565b6000602082840312156108f057600080fd5b6108f98261084e565b9392505050565b6000806040838503121561091357600080fd5b61091c8361084e565b915061092a6020840161084e565b90509250929050565b600181811c9082168061094757607f821691505b602082108103610980577f4e487b7100000000000000000000000000000000000000000000000000000000600052602260045260246000fd5b50919050565b808201808211156102ac577f4e487b7100000000000000000000000000000000000000000000000000000000600052601160045260246000fd'
