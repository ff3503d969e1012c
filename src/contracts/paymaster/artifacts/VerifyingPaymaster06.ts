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
  '0x60a060405234801561001057600080fd5b506040516115d43803806115d483398101604081905261002f9161012f565b80838381816001600160a01b03811661006257604051631e4fbdf760e01b81526000600482015260240160405180910390fd5b61006b816100aa565b506001600160a01b0316608052506100a1905081600280546001600160a01b0319166001600160a01b0392909216919091179055565b5050505061017c565b6100b3816100b6565b50565b600180546001600160a01b03191690556100b381600080546001600160a01b038381166001600160a01b0319831681178455604051919092169283917f8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e09190a35050565b6001600160a01b03811681146100b357600080fd5b60008060006060848603121561014457600080fd5b835161014f8161011a565b60208501519093506101608161011a565b60408501519092506101718161011a565b809150509250925092565b60805161140c6101c8600039600081816102400152818161039701528181610461015281816105e5015281816106ac0152818161087f015281816109320152610a34015261140c6000f3fe60806040526004361061010e5760003560e01c8063b0d691fe116100a5578063c399ec8811610074578063e30c397811610059578063e30c3978146102e2578063f2fde38b1461030d578063f465c77e1461032d57600080fd5b8063c399ec88146102c5578063d0e30db0146102da57600080fd5b8063b0d691fe1461022e578063bb9fe6bf14610262578063c23a5cea14610277578063c266f2921461029757600080fd5b8063715018a6116100e1578063715018a6146101b957806379ba5097146101ce5780638da5cb5b146101e3578063a9a234091461020e57600080fd5b80630396cb6014610113578063205c287814610128578063238ac933146101485780636c19e78314610199575b600080fd5b610126610121366004611041565b61035b565b005b34801561013457600080fd5b50610126610143366004611090565b61040d565b34801561015457600080fd5b5060025473ffffffffffffffffffffffffffffffffffffffff165b60405173ffffffffffffffffffffffffffffffffffffffff90911681526020015b60405180910390f35b3480156101a557600080fd5b506101266101b43660046110bc565b6104a5565b3480156101c557600080fd5b50610126610531565b3480156101da57600080fd5b50610126610545565b3480156101ef57600080fd5b5060005473ffffffffffffffffffffffffffffffffffffffff1661016f565b34801561021a57600080fd5b506101266102293660046110d9565b6105c1565b34801561023a57600080fd5b5061016f7f000000000000000000000000000000000000000000000000000000000000000081565b34801561026e57600080fd5b506101266105db565b34801561028357600080fd5b506101266102923660046110bc565b61065f565b3480156102a357600080fd5b506102b76102b2366004611184565b61070b565b604051908152602001610190565b3480156102d157600080fd5b506102b761084e565b610126610904565b3480156102ee57600080fd5b5060015473ffffffffffffffffffffffffffffffffffffffff1661016f565b34801561031957600080fd5b506101266103283660046110bc565b61098c565b34801561033957600080fd5b5061034d6103483660046111c1565b610995565b60405161019092919061120f565b6103636109b8565b6040517f0396cb6000000000000000000000000000000000000000000000000000000000815263ffffffff821660048201527f000000000000000000000000000000000000000000000000000000000000000073ffffffffffffffffffffffffffffffffffffffff1690630396cb609034906024016000604051808303818588803b1580156103f157600080fd5b505af1158015610405573d6000803e3d6000fd5b505050505050565b6104156109b8565b6040517f205c287800000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff8381166004830152602482018390527f0000000000000000000000000000000000000000000000000000000000000000169063205c287890604401600060405180830381600087803b1580156103f157600080fd5b6104ad610a0b565b600280547fffffffffffffffffffffffff00000000000000000000000000000000000000001673ffffffffffffffffffffffffffffffffffffffff831617905560405173ffffffffffffffffffffffffffffffffffffffff8216907f5719a5656c5cfdaafa148ecf366fd3b0a7fae06449ce2a46225977fb7417e29d90600090a250565b6105396109b8565b6105436000610a13565b565b600154339073ffffffffffffffffffffffffffffffffffffffff1681146105b5576040517f118cdaa700000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff821660048201526024015b60405180910390fd5b6105be81610a13565b50565b6105c9610a1c565b6105d584848484610abb565b50505050565b6105e36109b8565b7f000000000000000000000000000000000000000000000000000000000000000073ffffffffffffffffffffffffffffffffffffffff1663bb9fe6bf6040518163ffffffff1660e01b8152600401600060405180830381600087803b15801561064b57600080fd5b505af11580156105d5573d6000803e3d6000fd5b6106676109b8565b6040517fc23a5cea00000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff82811660048301527f0000000000000000000000000000000000000000000000000000000000000000169063c23a5cea90602401600060405180830381600087803b1580156106f057600080fd5b505af1158015610704573d6000803e3d6000fd5b5050505050565b6000368161071d610120850185611282565b909250905061072f60208501856110bc565b60208501356107416040870187611282565b60405161074f9291906112e7565b6040519081900390206107656060880188611282565b6040516107739291906112e7565b604051908190039020608088013560a089013560c08a013560e08b01356101008c01358a60008b6107a5604182611326565b926107b293929190611339565b6040516107c09291906112e7565b6040805191829003822073ffffffffffffffffffffffffffffffffffffffff909b1660208301528101989098526060880196909652608087019490945260a086019290925260c085015260e084015261010083015261012082015261014081019190915246610160820152610180016040516020818303038152906040528051906020012092505050919050565b6040517f70a082310000000000000000000000000000000000000000000000000000000081523060048201526000907f000000000000000000000000000000000000000000000000000000000000000073ffffffffffffffffffffffffffffffffffffffff16906370a0823190602401602060405180830381865afa1580156108db573d6000803e3d6000fd5b505050506040513d601f19601f820116820180604052508101906108ff9190611363565b905090565b6040517fb760faf90000000000000000000000000000000000000000000000000000000081523060048201527f000000000000000000000000000000000000000000000000000000000000000073ffffffffffffffffffffffffffffffffffffffff169063b760faf99034906024016000604051808303818588803b1580156106f057600080fd5b6105be81610b1d565b606060006109a1610a1c565b6109ac858585610bcd565b91509150935093915050565b60005473ffffffffffffffffffffffffffffffffffffffff163314610543576040517f118cdaa70000000000000000000000000000000000000000000000000000000081523360048201526024016105ac565b6105436109b8565b6105be81610c5b565b3373ffffffffffffffffffffffffffffffffffffffff7f00000000000000000000000000000000000000000000000000000000000000001614610543576040517f08c379a000000000000000000000000000000000000000000000000000000000815260206004820152601560248201527f53656e646572206e6f7420456e747279506f696e74000000000000000000000060448201526064016105ac565b6040517f08c379a000000000000000000000000000000000000000000000000000000000815260206004820152600d60248201527f6d757374206f766572726964650000000000000000000000000000000000000060448201526064016105ac565b610b256109b8565b6001805473ffffffffffffffffffffffffffffffffffffffff83167fffffffffffffffffffffffff00000000000000000000000000000000000000009091168117909155610b8860005473ffffffffffffffffffffffffffffffffffffffff1690565b73ffffffffffffffffffffffffffffffffffffffff167f38d16b8cac22d99fc7c124b9cd0de2d3fa1faef420bfe791d8c362d765e2270060405160405180910390a350565b606060003681610be887610be36041604061137c565b610c8c565b9092509050600080610bfd6040828587611339565b810190610c0a91906113aa565b915091506000610c2e610c1c8b610d5f565b610c29866040818a611339565b610dc6565b9050610c3c81158484610e50565b6040805160208101909152600081529b909a5098505050505050505050565b600180547fffffffffffffffffffffffff00000000000000000000000000000000000000001690556105be81610e88565b366000610c9a83601461137c565b610ca8610120860186611282565b905014610d37576040517f08c379a000000000000000000000000000000000000000000000000000000000815260206004820152602360248201527f7061796d6173746572416e64446174612068617320612077726f6e67206c656e60448201527f677468000000000000000000000000000000000000000000000000000000000060648201526084016105ac565b610d45610120850185611282565b610d53916014908290611339565b915091505b9250929050565b6000610dc0610d6d8361070b565b6040517f19457468657265756d205369676e6564204d6573736167653a0a3332000000006020820152603c8101829052600090605c01604051602081830303815290604052805190602001209050919050565b92915050565b6000806000610dd6868686610efd565b5090925090506000816003811115610df057610df06113dd565b148015610e4657508173ffffffffffffffffffffffffffffffffffffffff16610e2e60025473ffffffffffffffffffffffffffffffffffffffff1690565b73ffffffffffffffffffffffffffffffffffffffff16145b9695505050505050565b600060d08265ffffffffffff16901b60a08465ffffffffffff16901b85610e78576000610e7b565b60015b60ff161717949350505050565b6000805473ffffffffffffffffffffffffffffffffffffffff8381167fffffffffffffffffffffffff0000000000000000000000000000000000000000831681178455604051919092169283917f8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e09190a35050565b600080806041849003610f335784356020860135604087013560001a610f2589828585610f47565b955095509550505050610f3e565b506000915060029050825b93509350939050565b600080807f7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0841115610f825750600091506003905082611037565b604080516000808252602082018084528a905260ff891692820192909252606081018790526080810186905260019060a0016020604051602081039080840390855afa158015610fd6573d6000803e3d6000fd5b50506040517fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0015191505073ffffffffffffffffffffffffffffffffffffffff811661102d57506000925060019150829050611037565b9250600091508190505b9450945094915050565b60006020828403121561105357600080fd5b813563ffffffff8116811461106757600080fd5b9392505050565b73ffffffffffffffffffffffffffffffffffffffff811681146105be57600080fd5b600080604083850312156110a357600080fd5b82356110ae8161106e565b946020939093013593505050565b6000602082840312156110ce57600080fd5b81356110678161106e565b600080600080606085870312156110ef57600080fd5b8435600381106110fe57600080fd5b9350602085013567ffffffffffffffff81111561111a57600080fd5b8501601f8101871361112b57600080fd5b803567ffffffffffffffff81111561114257600080fd5b87602082840101111561115457600080fd5b949760209190910196509394604001359392505050565b6000610160828403121561117e57600080fd5b50919050565b60006020828403121561119657600080fd5b813567ffffffffffffffff8111156111ad57600080fd5b6111b98482850161116b565b949350505050565b6000806000606084860312156111d657600080fd5b833567ffffffffffffffff8111156111ed57600080fd5b6111f98682870161116b565b9660208601359650604090950135949350505050565b604081526000835180604084015260005b8181101561123d5760208187018101516060868401015201611220565b5060006060828501015260607fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f8301168401019150508260208301529392505050565b60008083357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe18436030181126112b757600080fd5b83018035915067ffffffffffffffff8211156112d257600080fd5b602001915036819003821315610d5857600080fd5b8183823760009101908152919050565b7f4e487b7100000000000000000000000000000000000000000000000000000000600052601160045260246000fd5b81810381811115610dc057610dc06112f7565b6000808585111561134957600080fd5b8386111561135657600080fd5b5050820193919092039150565b60006020828403121561137557600080fd5b5051919050565b80820180821115610dc057610dc06112f7565b803565ffffffffffff811681146113a557600080fd5b919050565b600080604083850312156113bd57600080fd5b6113c68361138f565b91506113d46020840161138f565b90509250929050565b7f4e487b7100000000000000000000000000000000000000000000000000000000600052602160045260246000fd'
