import type { Hex } from 'viem'

export const abi = [
  {
    "inputs": [
      {
        "internalType": "contract IEntryPoint",
        "name": "entryPoint_",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "owner_",
        "type": "address"
      }
    ],
    "stateMutability": "nonpayable",
    "type": "constructor"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "owner",
        "type": "address"
      }
    ],
    "name": "OwnableInvalidOwner",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "account",
        "type": "address"
      }
    ],
    "name": "OwnableUnauthorizedAccount",
    "type": "error"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "sponsor",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "amount",
        "type": "uint256"
      }
    ],
    "name": "Deposited",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "previousOwner",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "newOwner",
        "type": "address"
      }
    ],
    "name": "OwnershipTransferStarted",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "previousOwner",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "newOwner",
        "type": "address"
      }
    ],
    "name": "OwnershipTransferred",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "userOpHash",
        "type": "bytes32"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "sponsor",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "sender",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "cost",
        "type": "uint256"
      }
    ],
    "name": "UserOperationSponsored",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "sponsor",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "account",
        "type": "address"
      }
    ],
    "name": "WhitelistAdded",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "sponsor",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "account",
        "type": "address"
      }
    ],
    "name": "WhitelistRemoved",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "sponsor",
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
        "name": "amount",
        "type": "uint256"
      }
    ],
    "name": "Withdrawn",
    "type": "event"
  },
  {
    "inputs": [],
    "name": "MAX_BATCH",
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
    "name": "POST_OP_GAS",
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
    "name": "acceptOwnership",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address[]",
        "name": "accounts",
        "type": "address[]"
      }
    ],
    "name": "addManyToWhitelist",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "uint32",
        "name": "unstakeDelaySec",
        "type": "uint32"
      }
    ],
    "name": "addStake",
    "outputs": [],
    "stateMutability": "payable",
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
    "name": "addToWhitelist",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "sponsor",
        "type": "address"
      },
      {
        "internalType": "address[]",
        "name": "accounts",
        "type": "address[]"
      }
    ],
    "name": "areWhitelisted",
    "outputs": [
      {
        "internalType": "bool[]",
        "name": "listed",
        "type": "bool[]"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "sponsor",
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
    "name": "deposit",
    "outputs": [],
    "stateMutability": "payable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "sponsor",
        "type": "address"
      }
    ],
    "name": "depositFor",
    "outputs": [],
    "stateMutability": "payable",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "entryPoint",
    "outputs": [
      {
        "internalType": "contract IEntryPoint",
        "name": "",
        "type": "address"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "getDeposit",
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
        "components": [
          {
            "internalType": "address",
            "name": "sender",
            "type": "address"
          },
          {
            "internalType": "uint256",
            "name": "nonce",
            "type": "uint256"
          },
          {
            "internalType": "bytes",
            "name": "initCode",
            "type": "bytes"
          },
          {
            "internalType": "bytes",
            "name": "callData",
            "type": "bytes"
          },
          {
            "internalType": "uint256",
            "name": "callGasLimit",
            "type": "uint256"
          },
          {
            "internalType": "uint256",
            "name": "verificationGasLimit",
            "type": "uint256"
          },
          {
            "internalType": "uint256",
            "name": "preVerificationGas",
            "type": "uint256"
          },
          {
            "internalType": "uint256",
            "name": "maxFeePerGas",
            "type": "uint256"
          },
          {
            "internalType": "uint256",
            "name": "maxPriorityFeePerGas",
            "type": "uint256"
          },
          {
            "internalType": "bytes",
            "name": "paymasterAndData",
            "type": "bytes"
          },
          {
            "internalType": "bytes",
            "name": "signature",
            "type": "bytes"
          }
        ],
        "internalType": "struct UserOperation",
        "name": "op",
        "type": "tuple"
      }
    ],
    "name": "getHash",
    "outputs": [
      {
        "internalType": "bytes32",
        "name": "",
        "type": "bytes32"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "sponsor",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "account",
        "type": "address"
      }
    ],
    "name": "isWhitelisted",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "owner",
    "outputs": [
      {
        "internalType": "address",
        "name": "",
        "type": "address"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "pendingOwner",
    "outputs": [
      {
        "internalType": "address",
        "name": "",
        "type": "address"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "enum IPaymaster.PostOpMode",
        "name": "mode",
        "type": "uint8"
      },
      {
        "internalType": "bytes",
        "name": "context",
        "type": "bytes"
      },
      {
        "internalType": "uint256",
        "name": "actualGasCost",
        "type": "uint256"
      }
    ],
    "name": "postOp",
    "outputs": [],
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
    "name": "removeFromWhitelist",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address[]",
        "name": "accounts",
        "type": "address[]"
      }
    ],
    "name": "removeManyFromWhitelist",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "renounceOwnership",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "totalBalance",
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
        "name": "newOwner",
        "type": "address"
      }
    ],
    "name": "transferOwnership",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "unlockStake",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "components": [
          {
            "internalType": "address",
            "name": "sender",
            "type": "address"
          },
          {
            "internalType": "uint256",
            "name": "nonce",
            "type": "uint256"
          },
          {
            "internalType": "bytes",
            "name": "initCode",
            "type": "bytes"
          },
          {
            "internalType": "bytes",
            "name": "callData",
            "type": "bytes"
          },
          {
            "internalType": "uint256",
            "name": "callGasLimit",
            "type": "uint256"
          },
          {
            "internalType": "uint256",
            "name": "verificationGasLimit",
            "type": "uint256"
          },
          {
            "internalType": "uint256",
            "name": "preVerificationGas",
            "type": "uint256"
          },
          {
            "internalType": "uint256",
            "name": "maxFeePerGas",
            "type": "uint256"
          },
          {
            "internalType": "uint256",
            "name": "maxPriorityFeePerGas",
            "type": "uint256"
          },
          {
            "internalType": "bytes",
            "name": "paymasterAndData",
            "type": "bytes"
          },
          {
            "internalType": "bytes",
            "name": "signature",
            "type": "bytes"
          }
        ],
        "internalType": "struct UserOperation",
        "name": "userOp",
        "type": "tuple"
      },
      {
        "internalType": "bytes32",
        "name": "userOpHash",
        "type": "bytes32"
      },
      {
        "internalType": "uint256",
        "name": "maxCost",
        "type": "uint256"
      }
    ],
    "name": "validatePaymasterUserOp",
    "outputs": [
      {
        "internalType": "bytes",
        "name": "context",
        "type": "bytes"
      },
      {
        "internalType": "uint256",
        "name": "validationData",
        "type": "uint256"
      }
    ],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address payable",
        "name": "to",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "amount",
        "type": "uint256"
      }
    ],
    "name": "withdraw",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address payable",
        "name": "withdrawAddress",
        "type": "address"
      }
    ],
    "name": "withdrawStake",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address payable",
        "name": "withdrawAddress",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "amount",
        "type": "uint256"
      }
    ],
    "name": "withdrawTo",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  }
] as const

export const bytecode: Hex =
  '0x60a060405234801561001057600080fd5b506040516123a53803806123a583398101604081905261002f91610106565b818181816001600160a01b03811661006157604051631e4fbdf760e01b81526000600482015260240160405180910390fd5b61006a81610081565b506001600160a01b03166080525061014092505050565b61008a8161008d565b50565b600180546001600160a01b031916905561008a81600080546001600160a01b038381166001600160a01b0319831681178455604051919092169283917f8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e09190a35050565b6001600160a01b038116811461008a57600080fd5b6000806040838503121561011957600080fd5b8251610124816100f1565b6020840151909250610135816100f1565b809150509250929050565b60805161220b61019a6000396000818161037d0152818161058701528181610652015281816109280152818161097801528181610a3f01528181610c1201528181610cc501528181610dd60152611150015261220b6000f3fe6080604052600436106101ac5760003560e01c8063b0d691fe116100ec578063d0e30db01161008a578063f2fde38b11610064578063f2fde38b146104bd578063f3fef3a3146104dd578063f465c77e146104fd578063f674d7991461052b57600080fd5b8063d0e30db01461046a578063e30c397814610472578063e43252d71461049d57600080fd5b8063bb9fe6bf116100c6578063bb9fe6bf14610400578063c23a5cea14610415578063c266f29214610435578063c399ec881461045557600080fd5b8063b0d691fe1461036b578063b6b352721461039f578063b8202d8f146103ea57600080fd5b80638ab1d68111610159578063950bff9f11610133578063950bff9f1461030d578063a9a2340914610322578063aa67c91914610342578063ad7a672f1461035557600080fd5b80638ab1d681146102815780638c10671c146102a15780638da5cb5b146102c157600080fd5b806370a082311161018a57806370a082311461021c578063715018a61461025757806379ba50971461026c57600080fd5b80630396cb60146101b1578063205c2878146101c65780634772ccf5146101e6575b600080fd5b6101c46101bf366004611bf3565b61054b565b005b3480156101d257600080fd5b506101c46101e1366004611c3b565b6105fe565b3480156101f257600080fd5b50610206610201366004611cbc565b610697565b6040516102139190611d11565b60405180910390f35b34801561022857600080fd5b50610249610237366004611d56565b60026020526000908152604090205481565b604051908152602001610213565b34801561026357600080fd5b506101c4610797565b34801561027857600080fd5b506101c46107ab565b34801561028d57600080fd5b506101c461029c366004611d56565b610827565b3480156102ad57600080fd5b506101c46102bc366004611d73565b610832565b3480156102cd57600080fd5b5060005473ffffffffffffffffffffffffffffffffffffffff165b60405173ffffffffffffffffffffffffffffffffffffffff9091168152602001610213565b34801561031957600080fd5b50610249600a81565b34801561032e57600080fd5b506101c461033d366004611db5565b610842565b6101c4610350366004611d56565b61085c565b34801561036157600080fd5b5061024960035481565b34801561037757600080fd5b506102e87f000000000000000000000000000000000000000000000000000000000000000081565b3480156103ab57600080fd5b506103da6103ba366004611e47565b600460209081526000928352604080842090915290825290205460ff1681565b6040519015158152602001610213565b3480156103f657600080fd5b5061024961271081565b34801561040c57600080fd5b506101c461096e565b34801561042157600080fd5b506101c4610430366004611d56565b6109f2565b34801561044157600080fd5b50610249610450366004611e99565b610a9e565b34801561046157600080fd5b50610249610be1565b6101c4610c97565b34801561047e57600080fd5b5060015473ffffffffffffffffffffffffffffffffffffffff166102e8565b3480156104a957600080fd5b506101c46104b8366004611d56565b610d1f565b3480156104c957600080fd5b506101c46104d8366004611d56565b610d2a565b3480156104e957600080fd5b506101c46104f8366004611c3b565b610d33565b34801561050957600080fd5b5061051d610518366004611ece565b610e05565b604051610213929190611f1c565b34801561053757600080fd5b506101c4610546366004611d73565b610e29565b610553610e35565b6040517f0396cb6000000000000000000000000000000000000000000000000000000000815263ffffffff821660048201527f000000000000000000000000000000000000000000000000000000000000000073ffffffffffffffffffffffffffffffffffffffff1690630396cb609034906024015b6000604051808303818588803b1580156105e257600080fd5b505af11580156105f6573d6000803e3d6000fd5b505050505050565b610606610e35565b6040517f205c287800000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff8381166004830152602482018390527f0000000000000000000000000000000000000000000000000000000000000000169063205c2878906044015b600060405180830381600087803b1580156105e257600080fd5b60608167ffffffffffffffff8111156106b2576106b2611f8f565b6040519080825280602002602001820160405280156106db578160200160208202803683370190505b50905060005b8281101561078f5773ffffffffffffffffffffffffffffffffffffffff851660009081526004602052604081209085858481811061072157610721611fbe565b90506020020160208101906107369190611d56565b73ffffffffffffffffffffffffffffffffffffffff168152602081019190915260400160002054825160ff9091169083908390811061077757610777611fbe565b911515602092830291909101909101526001016106e1565b509392505050565b61079f610e35565b6107a96000610f4c565b565b600154339073ffffffffffffffffffffffffffffffffffffffff16811461081b576040517f118cdaa700000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff821660048201526024015b60405180910390fd5b61082481610f4c565b50565b610824816000610f55565b61083e8282600161108a565b5050565b61084a611138565b610856848484846111d7565b50505050565b73ffffffffffffffffffffffffffffffffffffffff81166000908152600260205260408120805434929061089190849061201c565b9250508190555034600360008282546108aa919061201c565b909155505060405134815273ffffffffffffffffffffffffffffffffffffffff8216907f2da466a7b24304f47e87fa2e1e5a81b9831ce54fec19055ce277ca2f39ba42c49060200160405180910390a26040517fb760faf90000000000000000000000000000000000000000000000000000000081523060048201527f000000000000000000000000000000000000000000000000000000000000000073ffffffffffffffffffffffffffffffffffffffff169063b760faf99034906024016105c9565b610976610e35565b7f000000000000000000000000000000000000000000000000000000000000000073ffffffffffffffffffffffffffffffffffffffff1663bb9fe6bf6040518163ffffffff1660e01b8152600401600060405180830381600087803b1580156109de57600080fd5b505af1158015610856573d6000803e3d6000fd5b6109fa610e35565b6040517fc23a5cea00000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff82811660048301527f0000000000000000000000000000000000000000000000000000000000000000169063c23a5cea90602401600060405180830381600087803b158015610a8357600080fd5b505af1158015610a97573d6000803e3d6000fd5b5050505050565b60003681610ab061012085018561202f565b9092509050610ac26020850185611d56565b6020850135610ad4604087018761202f565b604051610ae2929190612094565b604051908190039020610af8606088018861202f565b604051610b06929190612094565b604051908190039020608088013560a089013560c08a013560e08b01356101008c01358a60008b610b386041826120a4565b92610b45939291906120b7565b604051610b53929190612094565b6040805191829003822073ffffffffffffffffffffffffffffffffffffffff909b1660208301528101989098526060880196909652608087019490945260a086019290925260c085015260e084015261010083015261012082015261014081019190915246610160820152610180016040516020818303038152906040528051906020012092505050919050565b6040517f70a082310000000000000000000000000000000000000000000000000000000081523060048201526000907f000000000000000000000000000000000000000000000000000000000000000073ffffffffffffffffffffffffffffffffffffffff16906370a0823190602401602060405180830381865afa158015610c6e573d6000803e3d6000fd5b505050506040513d601f19601f82011682018060405250810190610c9291906120e1565b905090565b6040517fb760faf90000000000000000000000000000000000000000000000000000000081523060048201527f000000000000000000000000000000000000000000000000000000000000000073ffffffffffffffffffffffffffffffffffffffff169063b760faf99034906024016000604051808303818588803b158015610a8357600080fd5b610824816001610f55565b61082481611319565b610d3d33826113c9565b60405181815273ffffffffffffffffffffffffffffffffffffffff83169033907fd1c19fbcd4551a5edfb66d43d2e337c04837afda3482b42bdf569a8fccdae5fb9060200160405180910390a36040517f205c287800000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff8381166004830152602482018390527f0000000000000000000000000000000000000000000000000000000000000000169063205c28789060440161067d565b60606000610e11611138565b610e1c8585856114af565b915091505b935093915050565b61083e8282600061108a565b610e3d611813565b6000357fffffffff00000000000000000000000000000000000000000000000000000000167f205c28780000000000000000000000000000000000000000000000000000000014610e8a57565b6000610e9936600481846120b7565b810190610ea69190611c3b565b915050610eb1610be1565b600354610ebe908361201c565b1115610824576040517f08c379a000000000000000000000000000000000000000000000000000000000815260206004820152602260248201527f73706f6e736f727327206d6f6e6579206973206e6f7420746865206f776e657260448201527f27730000000000000000000000000000000000000000000000000000000000006064820152608401610812565b61082481611866565b33600090815260046020908152604080832073ffffffffffffffffffffffffffffffffffffffff8616845290915290205481151560ff909116151503610f99575050565b33600090815260046020908152604080832073ffffffffffffffffffffffffffffffffffffffff86168452909152902080547fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff001682158015919091179091556110435760405173ffffffffffffffffffffffffffffffffffffffff83169033907f67385d0e3f500ff9deddc1292262190d227a7c30ebc71bdf4362662f6493f6ec90600090a35050565b60405173ffffffffffffffffffffffffffffffffffffffff83169033907fe0fcf303ba3014f7bddb92283585b57ae29a68f05ceb43d0a0c1b92ad80c613c90600090a35050565b600a8211156110f5576040517f08c379a000000000000000000000000000000000000000000000000000000000815260206004820152601560248201527f6d6f7265207468616e203130206163636f756e747300000000000000000000006044820152606401610812565b60005b828110156108565761113084848381811061111557611115611fbe565b905060200201602081019061112a9190611d56565b83610f55565b6001016110f8565b3373ffffffffffffffffffffffffffffffffffffffff7f000000000000000000000000000000000000000000000000000000000000000016146107a9576040517f08c379a000000000000000000000000000000000000000000000000000000000815260206004820152601560248201527f53656e646572206e6f7420456e747279506f696e7400000000000000000000006044820152606401610812565b60006111e5838501856120fa565b905060006111fb82608001518360a00151611897565b611207906127106121ab565b611211908461201c565b90508160600151811115611226575060608101515b80826060015161123691906120a4565b60208084015173ffffffffffffffffffffffffffffffffffffffff166000908152600290915260408120805490919061127090849061201c565b909155505060608201516112859082906120a4565b60036000828254611296919061201c565b92505081905550816040015173ffffffffffffffffffffffffffffffffffffffff16826020015173ffffffffffffffffffffffffffffffffffffffff1683600001517fa050a122b4c0e369e3385eb6b7cccd8019638b2764de67bec0af99130ddf84718460405161130991815260200190565b60405180910390a4505050505050565b611321610e35565b6001805473ffffffffffffffffffffffffffffffffffffffff83167fffffffffffffffffffffffff0000000000000000000000000000000000000000909116811790915561138460005473ffffffffffffffffffffffffffffffffffffffff1690565b73ffffffffffffffffffffffffffffffffffffffff167f38d16b8cac22d99fc7c124b9cd0de2d3fa1faef420bfe791d8c362d765e2270060405160405180910390a350565b73ffffffffffffffffffffffffffffffffffffffff8216600090815260026020526040902054811115611458576040517f08c379a000000000000000000000000000000000000000000000000000000000815260206004820152600f60248201527f62616c616e636520746f6f206c6f7700000000000000000000000000000000006044820152606401610812565b73ffffffffffffffffffffffffffffffffffffffff82166000908152600260205260408120805483929061148d9084906120a4565b9250508190555080600360008282546114a691906120a4565b90915550505050565b6060600036816114ca876114c56041604061201c565b6118ce565b915091506127108760a001351015611564576040517f08c379a000000000000000000000000000000000000000000000000000000000815260206004820152602760248201527f766572696669636174696f6e4761734c696d69742062656c6f7720706f73744f60448201527f70277320676173000000000000000000000000000000000000000000000000006064820152608401610812565b60008061157460408285876120b7565b81019061158191906121d8565b9150915060006115a56115938b6119a1565b6115a0866040818a6120b7565b611a02565b505073ffffffffffffffffffffffffffffffffffffffff8116600090815260046020908152604082209293506115dd908d018d611d56565b73ffffffffffffffffffffffffffffffffffffffff16815260208101919091526040016000205460ff166116365761161760018484611a4c565b6040518060200160405280600081525090965096505050505050610e21565b73ffffffffffffffffffffffffffffffffffffffff81166000908152600260205260409020548811156116eb576040517f08c379a000000000000000000000000000000000000000000000000000000000815260206004820152602860248201527f73706f6e736f7227732062616c616e63652062656c6f7720746865206869676860448201527f65737420636f73740000000000000000000000000000000000000000000000006064820152608401610812565b6116f581896113c9565b6040518060c001604052808a81526020018273ffffffffffffffffffffffffffffffffffffffff1681526020018b60000160208101906117359190611d56565b73ffffffffffffffffffffffffffffffffffffffff1681526020018981526020018b60e0013581526020018b61010001358152506040516020016117e49190600060c0820190508251825273ffffffffffffffffffffffffffffffffffffffff602084015116602083015273ffffffffffffffffffffffffffffffffffffffff6040840151166040830152606083015160608301526080830151608083015260a083015160a083015292915050565b60405160208183030381529060405296508661180260008585611a4c565b965096505050505050935093915050565b60005473ffffffffffffffffffffffffffffffffffffffff1633146107a9576040517f118cdaa7000000000000000000000000000000000000000000000000000000008152336004820152602401610812565b600180547fffffffffffffffffffffffff000000000000000000000000000000000000000016905561082481611a84565b60008183036118a75750816118c8565b60006118b3488461201c565b90508381106118c257836118c4565b805b9150505b92915050565b3660006118dc83601461201c565b6118ea61012086018661202f565b905014611979576040517f08c379a000000000000000000000000000000000000000000000000000000000815260206004820152602360248201527f7061796d6173746572416e64446174612068617320612077726f6e67206c656e60448201527f67746800000000000000000000000000000000000000000000000000000000006064820152608401610812565b61198761012085018561202f565b6119959160149082906120b7565b915091505b9250929050565b60006118c86119af83610a9e565b6040517f19457468657265756d205369676e6564204d6573736167653a0a3332000000006020820152603c8101829052600090605c01604051602081830303815290604052805190602001209050919050565b600080806041849003611a385784356020860135604087013560001a611a2a89828585611af9565b955095509550505050611a43565b506000915060029050825b93509350939050565b600060d08265ffffffffffff16901b60a08465ffffffffffff16901b85611a74576000611a77565b60015b60ff161717949350505050565b6000805473ffffffffffffffffffffffffffffffffffffffff8381167fffffffffffffffffffffffff0000000000000000000000000000000000000000831681178455604051919092169283917f8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e09190a35050565b600080807f7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0841115611b345750600091506003905082611be9565b604080516000808252602082018084528a905260ff891692820192909252606081018790526080810186905260019060a0016020604051602081039080840390855afa158015611b88573d6000803e3d6000fd5b50506040517fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0015191505073ffffffffffffffffffffffffffffffffffffffff8116611bdf57506000925060019150829050611be9565b9250600091508190505b9450945094915050565b600060208284031215611c0557600080fd5b813563ffffffff811681146118c257600080fd5b73ffffffffffffffffffffffffffffffffffffffff8116811461082457600080fd5b60008060408385031215611c4e57600080fd5b8235611c5981611c19565b946020939093013593505050565b8035611c7281611c19565b919050565b60008083601f840112611c8957600080fd5b50813567ffffffffffffffff811115611ca157600080fd5b6020830191508360208260051b850101111561199a57600080fd5b600080600060408486031215611cd157600080fd5b8335611cdc81611c19565b9250602084013567ffffffffffffffff811115611cf857600080fd5b611d0486828701611c77565b9497909650939450505050565b602080825282518282018190526000918401906040840190835b81811015611d4b5783511515835260209384019390920191600101611d2b565b509095945050505050565b600060208284031215611d6857600080fd5b81356118c281611c19565b60008060208385031215611d8657600080fd5b823567ffffffffffffffff811115611d9d57600080fd5b611da985828601611c77565b90969095509350505050565b60008060008060608587031215611dcb57600080fd5b843560038110611dda57600080fd5b9350602085013567ffffffffffffffff811115611df657600080fd5b8501601f81018713611e0757600080fd5b803567ffffffffffffffff811115611e1e57600080fd5b876020828401011115611e3057600080fd5b949760209190910196509394604001359392505050565b60008060408385031215611e5a57600080fd5b8235611e6581611c19565b91506020830135611e7581611c19565b809150509250929050565b60006101608284031215611e9357600080fd5b50919050565b600060208284031215611eab57600080fd5b813567ffffffffffffffff811115611ec257600080fd5b6118c484828501611e80565b600080600060608486031215611ee357600080fd5b833567ffffffffffffffff811115611efa57600080fd5b611f0686828701611e80565b9660208601359650604090950135949350505050565b604081526000835180604084015260005b81811015611f4a5760208187018101516060868401015201611f2d565b5060006060828501015260607fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f8301168401019150508260208301529392505050565b7f4e487b7100000000000000000000000000000000000000000000000000000000600052604160045260246000fd5b7f4e487b7100000000000000000000000000000000000000000000000000000000600052603260045260246000fd5b7f4e487b7100000000000000000000000000000000000000000000000000000000600052601160045260246000fd5b808201808211156118c8576118c8611fed565b60008083357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe184360301811261206457600080fd5b83018035915067ffffffffffffffff82111561207f57600080fd5b60200191503681900382131561199a57600080fd5b8183823760009101908152919050565b818103818111156118c8576118c8611fed565b600080858511156120c757600080fd5b838611156120d457600080fd5b5050820193919092039150565b6000602082840312156120f357600080fd5b5051919050565b600060c082840312801561210d57600080fd5b6000905060405160c0810181811067ffffffffffffffff82111715612159577f4e487b710000000000000000000000000000000000000000000000000000000083526041600452602483fd5b6040528335815261216c60208501611c67565b602082015261217d60408501611c67565b6040820152606084810135908201526080808501359082015260a09384013593810193909352509092915050565b80820281158282048414176118c8576118c8611fed565b803565ffffffffffff81168114611c7257600080fd5b600080604083850312156121eb57600080fd5b6121f4836121c2565b9150612202602084016121c2565b9050925092905056'
