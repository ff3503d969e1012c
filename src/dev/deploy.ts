import artifact06 from 'entrypoint-0.6/artifacts/EntryPoint.json'
import factory06 from 'entrypoint-0.6/artifacts/SimpleAccountFactory.json'
import artifact07 from 'entrypoint-0.7/artifacts/EntryPoint.json'
import factory07 from 'entrypoint-0.7/artifacts/SimpleAccountFactory.json'
import artifact08 from 'entrypoint-0.8/artifacts/EntryPoint.json'
import simple7702 from 'entrypoint-0.8/artifacts/Simple7702Account.json'
import factory08 from 'entrypoint-0.8/artifacts/SimpleAccountFactory.json'
import { type Address, concatHex, encodeAbiParameters, type Hex, zeroHash } from 'viem'
import { entryPoints } from '../types/entrypoint.ts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import type { Deploy } from './deployer.ts'

/** The salts that put each EntryPoint where it stands on every chain. */
const canonical: Record<EntryPointVersion, { bytecode: string; salt: Hex; factory: string }> = {
  '0.6': { bytecode: artifact06.bytecode, salt: zeroHash, factory: factory06.bytecode },
  '0.7': {
    bytecode: artifact07.bytecode,
    salt: '0x90d8084deab30c2a37c45e8d47f49f2f7965183cb6990a98943ef94940681de3',
    factory: factory07.bytecode,
  },
  '0.8': {
    bytecode: artifact08.bytecode,
    salt: '0x0a59dbff790c23c976a548690c27297883cc66b4c67024f9117b0238995e35e9',
    factory: factory08.bytecode,
  },
}

export type DevContracts = {
  factories: Record<EntryPointVersion, Address>
  /** Simple7702Account of EntryPoint 0.8: what an EIP-7702 account delegates to. */
  simple7702Account: Address
}

/** Deploys the canonical EntryPoints, a SimpleAccountFactory for each, and Simple7702Account; skips what is there. */
export async function deployContracts(deploy: Deploy): Promise<DevContracts> {
  async function deployVersion(version: EntryPointVersion): Promise<Address> {
    const { bytecode, salt, factory } = canonical[version]
    const entryPoint = await deploy(bytecode as Hex, salt)
    if (entryPoint !== entryPoints[version].address)
      throw new Error(`EntryPoint ${version} landed at ${entryPoint}`)
    return deploy(concatHex([factory as Hex, encodeAbiParameters([{ type: 'address' }], [entryPoint])]))
  }

  return {
    factories: {
      '0.6': await deployVersion('0.6'),
      '0.7': await deployVersion('0.7'),
      '0.8': await deployVersion('0.8'),
    },
    simple7702Account: await deploy(simple7702.bytecode as Hex),
  }
}
