import type { Hex } from 'viem'

export const abi = [
  {
    "inputs": [
      {
        "internalType": "int256",
        "name": "answer",
        "type": "int256"
      }
    ],
    "stateMutability": "nonpayable",
    "type": "constructor"
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
    "inputs": [],
    "name": "latestRoundData",
    "outputs": [
      {
        "internalType": "uint80",
        "name": "roundId",
        "type": "uint80"
      },
      {
        "internalType": "int256",
        "name": "answer",
        "type": "int256"
      },
      {
        "internalType": "uint256",
        "name": "startedAt",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "updatedAt",
        "type": "uint256"
      },
      {
        "internalType": "uint80",
        "name": "answeredInRound",
        "type": "uint80"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "int256",
        "name": "answer",
        "type": "int256"
      }
    ],
    "name": "set",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  }
] as const

export const bytecode: Hex =
  '0x6080604052348015600f57600080fd5b5060405161011c38038061011c833981016040819052602c91603d565b60388160005542600155565b506055565b600060208284031215604e57600080fd5b5051919050565b60b9806100636000396000f3fe6080604052348015600f57600080fd5b5060043610603c5760003560e01c8063313ce567146041578063e5c19b2d14605f578063feaf968c146075575b600080fd5b6048600881565b60405160ff90911681526020015b60405180910390f35b6073606a36600460a1565b60005542600155565b005b6000546001805460408051838152602081019490945283018190526060830152608082015260a0016056565b60006020828403121560b257600080fd5b503591905056'
