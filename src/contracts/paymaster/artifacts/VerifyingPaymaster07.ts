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
      },
      {
        "internalType": "address",
        "name": "signer_",
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
    "inputs": [
      {
        "internalType": "address",
        "name": "sender",
        "type": "address"
      }
    ],
    "name": "PaymasterUnauthorized",
    "type": "error"
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
        "internalType": "address",
        "name": "signer",
        "type": "address"
      }
    ],
    "name": "SignerChanged",
    "type": "event"
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
    "inputs": [],
    "name": "deposit",
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
            "internalType": "bytes32",
            "name": "accountGasLimits",
            "type": "bytes32"
          },
          {
            "internalType": "uint256",
            "name": "preVerificationGas",
            "type": "uint256"
          },
          {
            "internalType": "bytes32",
            "name": "gasFees",
            "type": "bytes32"
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
        "internalType": "struct PackedUserOperation",
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
      },
      {
        "internalType": "uint256",
        "name": "actualUserOpFeePerGas",
        "type": "uint256"
      }
    ],
    "name": "postOp",
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
    "inputs": [
      {
        "internalType": "address",
        "name": "signer_",
        "type": "address"
      }
    ],
    "name": "setSigner",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "signer",
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
            "internalType": "bytes32",
            "name": "accountGasLimits",
            "type": "bytes32"
          },
          {
            "internalType": "uint256",
            "name": "preVerificationGas",
            "type": "uint256"
          },
          {
            "internalType": "bytes32",
            "name": "gasFees",
            "type": "bytes32"
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
        "internalType": "struct PackedUserOperation",
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
        "name": "to",
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
  '0x60a060405234801561001057600080fd5b506040516116c43803806116c483398101604081905261002f91610128565b808383806001600160a01b03811661006157604051631e4fbdf760e01b81526000600482015260240160405180910390fd5b61006a816100a7565b50506001600160a01b031660805261009e81600280546001600160a01b0319166001600160a01b0392909216919091179055565b50505050610175565b600180546001600160a01b03191690556100c0816100c3565b50565b600080546001600160a01b038381166001600160a01b0319831681178455604051919092169283917f8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e09190a35050565b6001600160a01b03811681146100c057600080fd5b60008060006060848603121561013d57600080fd5b835161014881610113565b602085015190935061015981610113565b604085015190925061016a81610113565b809150509250925092565b6080516115036101c1600039600081816102990152818161061d015281816107df0152818161088d0152818161095201528181610a8a01528181610b0c0152610bac01526115036000f3fe60806040526004361061010e5760003560e01c80637c627b21116100a5578063c23a5cea11610074578063d0e30db011610059578063d0e30db014610307578063e30c39781461030f578063f2fde38b1461033a57600080fd5b8063c23a5cea146102d2578063c399ec88146102f257600080fd5b80637c627b211461023f5780638da5cb5b1461025f578063b0d691fe1461028a578063bb9fe6bf146102bd57600080fd5b80636c19e783116100e15780636c19e783146101c7578063715018a6146101e75780637286b324146101fc57806379ba50971461022a57600080fd5b80630396cb6014610113578063205c287814610128578063238ac9331461014857806352b7512c14610199575b600080fd5b610126610121366004611135565b61035a565b005b34801561013457600080fd5b50610126610143366004611184565b61036f565b34801561015457600080fd5b5060025473ffffffffffffffffffffffffffffffffffffffff165b60405173ffffffffffffffffffffffffffffffffffffffff90911681526020015b60405180910390f35b3480156101a557600080fd5b506101b96101b43660046111c9565b610385565b604051610190929190611217565b3480156101d357600080fd5b506101266101e236600461128a565b6103a8565b3480156101f357600080fd5b50610126610434565b34801561020857600080fd5b5061021c6102173660046112a7565b610448565b604051908152602001610190565b34801561023657600080fd5b50610126610570565b34801561024b57600080fd5b5061012661025a3660046112dc565b6105e9565b34801561026b57600080fd5b5060005473ffffffffffffffffffffffffffffffffffffffff1661016f565b34801561029657600080fd5b507f000000000000000000000000000000000000000000000000000000000000000061016f565b3480156102c957600080fd5b506101266105f8565b3480156102de57600080fd5b506101266102ed36600461128a565b610608565b3480156102fe57600080fd5b5061021c610619565b6101266106d1565b34801561031b57600080fd5b5060015473ffffffffffffffffffffffffffffffffffffffff1661016f565b34801561034657600080fd5b5061012661035536600461128a565b6106da565b61036261078a565b61036c34826107dd565b50565b61037761078a565b610381828261088b565b5050565b6060600061039161093a565b61039c8585856109c2565b91509150935093915050565b6103b0610a4f565b600280547fffffffffffffffffffffffff00000000000000000000000000000000000000001673ffffffffffffffffffffffffffffffffffffffff831617905560405173ffffffffffffffffffffffffffffffffffffffff8216907f5719a5656c5cfdaafa148ecf366fd3b0a7fae06449ce2a46225977fb7417e29d90600090a250565b61043c61078a565b6104466000610a57565b565b6000368161045960e0850185611379565b909250905061046b602085018561128a565b602085013561047d6040870187611379565b60405161048b9291906113de565b6040519081900390206104a16060880188611379565b6040516104af9291906113de565b604051908190039020608088013560a089013560c08a0135886000896104d660418261141d565b926104e393929190611430565b6040516104f19291906113de565b6040805191829003822073ffffffffffffffffffffffffffffffffffffffff90991660208301528101969096526060860194909452608085019290925260a084015260c083015260e082015261010081019190915246610120820152610140016040516020818303038152906040528051906020012092505050919050565b600154339073ffffffffffffffffffffffffffffffffffffffff1681146105e0576040517f118cdaa700000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff821660048201526024015b60405180910390fd5b61036c81610a57565b6105f161093a565b5050505050565b61060061078a565b610446610a88565b61061061078a565b61036c81610b0a565b60007f00000000000000000000000000000000000000000000000000000000000000006040517f70a0823100000000000000000000000000000000000000000000000000000000815230600482015273ffffffffffffffffffffffffffffffffffffffff91909116906370a0823190602401602060405180830381865afa1580156106a8573d6000803e3d6000fd5b505050506040513d601f19601f820116820180604052508101906106cc919061145a565b905090565b61044634610baa565b6106e261078a565b6001805473ffffffffffffffffffffffffffffffffffffffff83167fffffffffffffffffffffffff0000000000000000000000000000000000000000909116811790915561074560005473ffffffffffffffffffffffffffffffffffffffff1690565b73ffffffffffffffffffffffffffffffffffffffff167f38d16b8cac22d99fc7c124b9cd0de2d3fa1faef420bfe791d8c362d765e2270060405160405180910390a350565b60005473ffffffffffffffffffffffffffffffffffffffff163314610446576040517f118cdaa70000000000000000000000000000000000000000000000000000000081523360048201526024016105d7565b7f00000000000000000000000000000000000000000000000000000000000000006040517f0396cb6000000000000000000000000000000000000000000000000000000000815263ffffffff8316600482015273ffffffffffffffffffffffffffffffffffffffff9190911690630396cb609084906024016000604051808303818588803b15801561086e57600080fd5b505af1158015610882573d6000803e3d6000fd5b50505050505050565b7f00000000000000000000000000000000000000000000000000000000000000006040517f205c287800000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff848116600483015260248201849052919091169063205c287890604401600060405180830381600087803b15801561091e57600080fd5b505af1158015610932573d6000803e3d6000fd5b505050505050565b3373ffffffffffffffffffffffffffffffffffffffff7f000000000000000000000000000000000000000000000000000000000000000016811461036c576040517f327499a700000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff821660048201526024016105d7565b6060600036816109dd876109d860416040611473565b610c35565b90925090506000806109f26040828587611430565b8101906109ff91906114a1565b915091506000610a23610a118b610d06565b610a1e866040818a611430565b610d6d565b9050610a30818385610df7565b6040805160208101909152600081529b909a5098505050505050505050565b61044661078a565b600180547fffffffffffffffffffffffff000000000000000000000000000000000000000016905561036c81610e11565b7f000000000000000000000000000000000000000000000000000000000000000073ffffffffffffffffffffffffffffffffffffffff1663bb9fe6bf6040518163ffffffff1660e01b8152600401600060405180830381600087803b158015610af057600080fd5b505af1158015610b04573d6000803e3d6000fd5b50505050565b7f00000000000000000000000000000000000000000000000000000000000000006040517fc23a5cea00000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff8381166004830152919091169063c23a5cea90602401600060405180830381600087803b158015610b9657600080fd5b505af11580156105f1573d6000803e3d6000fd5b7f00000000000000000000000000000000000000000000000000000000000000006040517fb760faf900000000000000000000000000000000000000000000000000000000815230600482015273ffffffffffffffffffffffffffffffffffffffff919091169063b760faf99083906024016000604051808303818588803b15801561091e57600080fd5b366000610c43836034611473565b610c5060e0860186611379565b905014610cdf576040517f08c379a000000000000000000000000000000000000000000000000000000000815260206004820152602360248201527f7061796d6173746572416e64446174612068617320612077726f6e67206c656e60448201527f677468000000000000000000000000000000000000000000000000000000000060648201526084016105d7565b610cec60e0850185611379565b610cfa916034908290611430565b915091505b9250929050565b6000610d67610d1483610448565b6040517f19457468657265756d205369676e6564204d6573736167653a0a3332000000006020820152603c8101829052600090605c01604051602081830303815290604052805190602001209050919050565b92915050565b6000806000610d7d868686610e86565b5090925090506000816003811115610d9757610d976114d4565b148015610ded57508173ffffffffffffffffffffffffffffffffffffffff16610dd560025473ffffffffffffffffffffffffffffffffffffffff1690565b73ffffffffffffffffffffffffffffffffffffffff16145b9695505050505050565b6000610e098415156001188484610ed0565b949350505050565b6000805473ffffffffffffffffffffffffffffffffffffffff8381167fffffffffffffffffffffffff0000000000000000000000000000000000000000831681178455604051919092169283917f8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e09190a35050565b600080806041849003610ebc5784356020860135604087013560001a610eae89828585610ef6565b955095509550505050610ec7565b506000915060029050825b93509350939050565b6000610e09848484808216658000000000001615610eef576001610ff0565b6000610ff0565b600080807f7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0841115610f315750600091506003905082610fe6565b604080516000808252602082018084528a905260ff891692820192909252606081018790526080810186905260019060a0016020604051602081039080840390855afa158015610f85573d6000803e3d6000fd5b50506040517fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0015191505073ffffffffffffffffffffffffffffffffffffffff8116610fdc57506000925060019150829050610fe6565b9250600091508190505b9450945094915050565b600080826001811115611005576110056114d4565b0361102557657fffffffffff84169350657fffffffffff83169250611055565b6001826001811115611039576110396114d4565b0361105557658000000000008417935065800000000000831792505b6110e18560601b6110928560d01b8760d01b79ffffffffffffffffffffffffffffffffffffffffffffffffffff19166110ea90919063ffffffff16565b7fffffffffffffffffffffffff0000000000000000000000000000000000000000169060601c7fffffffffffffffffffffffff0000000000000000000000000000000000000000919091161790565b95945050505050565b79ffffffffffff000000000000000000000000000000000000000060309190911c167fffffffffffff0000000000000000000000000000000000000000000000000000919091161790565b60006020828403121561114757600080fd5b813563ffffffff8116811461115b57600080fd5b9392505050565b73ffffffffffffffffffffffffffffffffffffffff8116811461036c57600080fd5b6000806040838503121561119757600080fd5b82356111a281611162565b946020939093013593505050565b600061012082840312156111c357600080fd5b50919050565b6000806000606084860312156111de57600080fd5b833567ffffffffffffffff8111156111f557600080fd5b611201868287016111b0565b9660208601359650604090950135949350505050565b604081526000835180604084015260005b818110156112455760208187018101516060868401015201611228565b5060006060828501015260607fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f8301168401019150508260208301529392505050565b60006020828403121561129c57600080fd5b813561115b81611162565b6000602082840312156112b957600080fd5b813567ffffffffffffffff8111156112d057600080fd5b610e09848285016111b0565b6000806000806000608086880312156112f457600080fd5b85356003811061130357600080fd5b9450602086013567ffffffffffffffff81111561131f57600080fd5b8601601f8101881361133057600080fd5b803567ffffffffffffffff81111561134757600080fd5b88602082840101111561135957600080fd5b959860209190910197509495604081013595606090910135945092505050565b60008083357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe18436030181126113ae57600080fd5b83018035915067ffffffffffffffff8211156113c957600080fd5b602001915036819003821315610cff57600080fd5b8183823760009101908152919050565b7f4e487b7100000000000000000000000000000000000000000000000000000000600052601160045260246000fd5b81810381811115610d6757610d676113ee565b6000808585111561144057600080fd5b8386111561144d57600080fd5b5050820193919092039150565b60006020828403121561146c57600080fd5b5051919050565b80820180821115610d6757610d676113ee565b803565ffffffffffff8116811461149c57600080fd5b919050565b600080604083850312156114b457600080fd5b6114bd83611486565b91506114cb60208401611486565b90509250929050565b7f4e487b7100000000000000000000000000000000000000000000000000000000600052602160045260246000fd'
