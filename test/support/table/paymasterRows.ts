import type { Template } from './template.ts'

/**
 * A call of the contract's tables. `{names}` are filled in; in answers `{hash}`, `{quantity}`, `{time}` and `{bytes N}`
 * stand for any of their kind. The rows build on one another.
 */
export type Row = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  payload?: { readonly [field: string]: Template }
  /** 200 unless said. */
  status?: number
  answer: Template
  /** Fields of the answer that later rows need, by the name that they get. */
  keeps?: Readonly<Record<string, string>>
  /** What of the chain and the database is so afterwards, when they are read without us; only of rows that write. */
  leaves?: Template
  /** Where among the params the chain and the key may stand. */
  places?: readonly [chain: number, key: number]
}

const versions = [
  { name: 'EPV_06', of: '06', suffix: '', query: '?useVp=true' },
  { name: 'EPV_07', of: '07', suffix: '/v2', query: '' },
  { name: 'EPV_08', of: '08', suffix: '/v3', query: '' },
] as const
const places = [1, 2] as const
const sentWith = (text: string) => ({
  message: `${text} with transaction Hash {hash}`,
  transactionHash: '{hash}',
})
const mined = (text: string) => ({ ...sentWith(text), mined: true })
const awaiting = (query: string) => (query === '' ? '?wait=true' : `${query}&wait=true`)
const refused = (status: number, error: string, code: string) => ({ status, answer: { error, code } })

const ownPaymasters: readonly Row[] = versions.flatMap(({ name, of, suffix, query }): Row[] => [
  {
    ...{ method: 'POST', path: `/deposit${suffix}${query}`, payload: { params: ['1'] } },
    status: 400,
    answer: {
      error: 'Paymaster not deployed',
      code: 'paymaster_not_deployed',
      details: 'Verifying paymaster not deployed',
    },
  },
  {
    ...{ method: 'POST', path: '/deployVerifyingPaymaster?wait=true', payload: { params: [name] }, places },
    answer: { verifyingPaymaster: `{own${of}}`, txHash: '{hash}', transactionHash: '{hash}', mined: true },
    leaves: {
      own: { [name]: { owner: '{wallet}', deposit: '0', stake: '0' } },
      deployments: { [name]: `{own${of}}` },
    },
  },
  {
    ...{ method: 'POST', path: '/deployVerifyingPaymaster', payload: { params: [name] }, places },
    ...refused(400, `Verifying paymaster already deployed at {own${of}}`, 'already_deployed'),
  },
  {
    ...{ method: 'POST', path: '/addStake?wait=true', payload: { params: [name, '0.25'] } },
    answer: mined('Successfully staked'),
    leaves: { own: { [name]: { stake: '0.25', unstakeDelay: 86_400 } } },
  },
  {
    ...{ method: 'POST', path: `/deposit${suffix}${awaiting(query)}`, payload: { params: ['1.5'] }, places },
    answer: mined('Successfully deposited'),
    leaves: { own: { [name]: { deposit: '1.5' } } },
  },
  {
    ...{ method: 'POST', path: `/withdraw${suffix}${awaiting(query)}`, payload: { params: ['0.5'] }, places },
    answer: mined('Successfully withdrawn'),
    leaves: { own: { [name]: { deposit: '1' } } },
  },
])

const sharedPaymaster: readonly Row[] = [
  {
    ...{ method: 'POST', path: '/deposit', payload: { params: ['0'] }, places },
    status: 400,
    answer: {
      ...{ error: 'Invalid data provided', code: 'invalid_data' },
      details: 'the amount must be more than zero',
    },
  },
  {
    ...{ method: 'POST', path: '/deposit', payload: { params: ['1000000'] }, places },
    ...refused(400, '{wallet} Balance is less than the amount to be deposited', 'balance_too_low'),
  },
  {
    ...{ method: 'POST', path: '/deposit', payload: { params: ['1.5'] }, places },
    answer: sentWith('Successfully deposited'),
    leaves: { shared: { deposit: '1.5' } },
  },
  {
    ...{ method: 'POST', path: '/withdraw', payload: { params: ['0.5'] }, places },
    answer: sentWith('Successfully withdrawn'),
    leaves: { shared: { deposit: '1' } },
  },
  {
    ...{ method: 'POST', path: '/checkWhitelist', payload: { params: ['{sender06}'] }, places },
    answer: { message: 'Not added yet' },
  },
  {
    ...{ method: 'POST', path: '/whitelist', payload: { params: ['{sender06}'] }, places },
    answer: sentWith('Successfully whitelisted'),
    leaves: { shared: { senders: ['{sender06}'] } },
  },
  {
    ...{
      method: 'POST',
      path: '/whitelist?wait=true',
      payload: { params: [['{sender06}', '{other}']] },
      places,
    },
    answer: mined('Successfully whitelisted'),
    leaves: { shared: { senders: ['{sender06}', '{other}'] } },
  },
  {
    ...{ method: 'POST', path: '/whitelist', payload: { params: ['{sender06}'] }, places },
    ...refused(409, 'Addresses were already added', 'already_whitelisted'),
  },
  {
    ...{ method: 'POST', path: '/checkWhitelist', payload: { params: ['{sender06}'] }, places },
    answer: { message: 'Already added' },
  },
  {
    ...{ method: 'POST', path: '/removeWhitelist', payload: { params: ['{other}'] }, places },
    answer: sentWith('Successfully removed whitelisted addresses'),
    leaves: { shared: { senders: ['{sender06}'] } },
  },
  {
    ...{ method: 'POST', path: '/removeWhitelist', payload: { params: ['{other}'] }, places },
    ...refused(409, 'Addresses sent were not whitelisted', 'not_whitelisted'),
  },
  {
    ...{ method: 'POST', path: '/getAllWhitelist', payload: { params: [] } },
    answer: { addresses: ['{sender06}'] },
  },
]

/** One list for all versions; with useVp the paths without a version mean it too. */
const lists: readonly Row[] = [
  { suffix: '/v2', query: '' },
  { suffix: '/v3', query: '' },
  { suffix: '', query: '?useVp=true' },
].flatMap(({ suffix, query }): Row[] => [
  {
    ...{ method: 'POST', path: `/getAllWhitelist${suffix}${query}`, payload: { params: [] } },
    answer: { addresses: [] },
  },
  {
    ...{ method: 'POST', path: `/checkWhitelist${suffix}${query}`, payload: { params: ['{sender07}'] } },
    answer: { message: 'Not added yet' },
  },
  {
    ...{
      method: 'POST',
      path: `/whitelist${suffix}${query}`,
      payload: { params: [['{sender07}', '{other}']] },
    },
    answer: { message: 'Successfully whitelisted' },
    leaves: { lists: ['0 {other}', '0 {sender07}'] },
  },
  {
    ...{ method: 'POST', path: `/whitelist${suffix}${query}`, payload: { params: [['{other}']] } },
    ...refused(409, 'Addresses were already added', 'already_whitelisted'),
  },
  {
    ...{ method: 'POST', path: `/checkWhitelist${suffix}${query}`, payload: { params: ['{sender07}'] } },
    answer: { message: 'Already added' },
  },
  {
    ...{ method: 'POST', path: `/getAllWhitelist${suffix}${query}`, payload: { params: [] } },
    answer: { addresses: ['{other}', '{sender07}'] },
  },
  {
    ...{
      method: 'POST',
      path: `/removeWhitelist${suffix}${query}`,
      payload: { params: [['{sender07}', '{other}']] },
    },
    answer: { message: 'Successfully removed whitelisted addresses' },
    leaves: { lists: [] },
  },
  {
    ...{ method: 'POST', path: `/removeWhitelist${suffix}${query}`, payload: { params: [['{other}']] } },
    ...refused(409, 'Addresses sent were not whitelisted', 'not_whitelisted'),
  },
])

/** With them the sponsor's calls further down are for these senders. */
const sponsored: Row = {
  ...{
    method: 'POST',
    path: '/whitelist/v2',
    payload: { params: [['{sender06}', '{sender07}', '{sender08}']] },
  },
  answer: { message: 'Successfully whitelisted' },
  leaves: { lists: ['0 {sender06}', '0 {sender07}', '0 {sender08}'] },
}

const told: readonly Row[] = versions.flatMap(({ of, suffix }): Row[] => [
  {
    method: 'POST',
    path: '/getAllCommonERC20PaymasterAddress',
    payload: { params: [`{entryPoint${of}}`] },
    answer: { message: `{common${of}}` },
  },
  {
    ...{ method: 'GET', path: `/metadata${suffix}` },
    answer: {
      sponsorAddress: '{wallet}',
      sponsorWalletBalance: { type: 'BigNumber', hex: '{quantity}' },
      chainsSupported: ['{chain}'],
      tokenPaymasters: { '31337': { USDX: `{tokens${of}}`, GLD: `{tokens${of}}` } },
    },
  },
])

const gas = {
  preVerificationGas: '{quantity}',
  verificationGasLimit: '{quantity}',
  callGasLimit: '{quantity}',
}
const paymasterGas = { paymasterVerificationGasLimit: '{quantity}', paymasterPostOpGasLimit: '{quantity}' }

/** Fields of the paymaster in an answer. */
type Fields = { readonly [field: string]: Template }
const of06 = (bytes: number): Fields => ({ paymasterAndData: `{bytes ${20 + bytes}}` })
const of07 = (paymaster: string, bytes: number): Fields => ({
  paymaster,
  paymasterData: `{bytes ${bytes}}`,
})

const inTokens: readonly Template[] = [
  { mode: 'erc20', token: 'USDX' },
  { mode: 'multitoken', token: '{usdx}' },
  { mode: 'commonerc20', token: '{usdx}' },
  { token: '{usdx}' },
]

/** Ways to be paid for; bytes of paymasterData as in answers.md. */
const ways: readonly { of: string; query: string; op: string; context: Template; fields: Fields }[] = [
  { of: '06', query: '', op: '{op06}', context: { mode: 'sponsor' }, fields: of06(129) },
  { of: '06', query: '?useVp=true', op: '{op06}', context: { mode: 'sponsor' }, fields: of06(129) },
  ...['07', '08'].map((of) => ({
    ...{ of, query: '?useVp=true', op: `{op${of}}`, context: { mode: 'sponsor' } },
    fields: of07(`{own${of}}`, 129),
  })),
  ...['06', '07', '08'].flatMap((of) =>
    inTokens.map((context) => ({
      ...{ of, query: '', op: `{payingOp${of}}`, context },
      fields: of === '06' ? of06(258) : of07(`{tokens${of}}`, 258),
    })),
  ),
]

function rpc(path: string, method: string, params: readonly Template[], result: Template): Row {
  return {
    ...{ method: 'POST', path, payload: { jsonrpc: '2.0', id: 7, method, params } },
    answer: { jsonrpc: '2.0', id: 7, result },
    places: method.startsWith('pm_getPaymaster') ? [2, 4] : [3, 4],
  }
}

const sponsoring: readonly Row[] = ways.flatMap(({ of, query, op, context, fields }): Row[] => {
  const limits = of === '06' ? {} : paymasterGas
  const entryPoint = `{entryPoint${of}}`
  const sponsor = { name: 'Tandem' }
  return [
    rpc(query, 'pm_sponsorUserOperation', [op, entryPoint, context], { ...fields, ...gas, ...limits }),
    rpc(query, 'pm_getPaymasterStubData', [op, entryPoint, '{chainHex}', context], {
      ...{ ...fields, ...limits, sponsor, isFinal: false },
    }),
    rpc(query, 'pm_getPaymasterData', [op, entryPoint, '{chainHex}', context], { ...fields, ...limits }),
  ]
})

/** 2,500 dollars a coin, with 8 decimals. */
const coinPrice = '0x3a35294400'

const quotes: readonly Row[] = versions.flatMap(({ of }): Row[] => [
  rpc(
    '',
    'pm_getERC20TokenQuotes',
    [`{op${of}}`, `{entryPoint${of}}`, [{ token: '{usdx}' }, { token: '{other}' }]],
    {
      etherUSDExchangeRate: coinPrice,
      paymasterAddress: `{tokens${of}}`,
      gasEstimates: gas,
      feeEstimates: { maxFeePerGas: '{quantity}', maxPriorityFeePerGas: '{quantity}' },
      quotes: [
        {
          ...{ token: '{usdx}', symbol: 'USDX', decimals: 6 },
          ...{ etherTokenExchangeRate: '0x9502f900', serviceFeePercent: 10 },
        },
      ],
      unsupportedTokens: [{ token: '{other}' }],
    },
  ),
])

const beyond: readonly Row[] = [
  {
    ...rpc('', 'pm_supportedEntryPoints', [], ['{entryPoint08}', '{entryPoint07}', '{entryPoint06}']),
    places: [0, 1],
  },
  {
    ...rpc('', 'pimlico_getTokenQuotes', [{ tokens: ['{usdx}'] }, '{entryPoint07}', '{chainHex}'], {
      quotes: [
        {
          ...{ paymaster: '{tokens07}', token: '{usdx}', postOpGas: '{quantity}' },
          ...{ exchangeRate: '{quantity}', exchangeRateNativeToUsd: '0x9502f900' },
        },
      ],
    }),
    places: [2, 3],
  },
]

/** All fields as the contract has them. */
const sent = {
  ...{
    walletAddress: '{wallet}',
    name: 'trial',
    description: 'three each',
    isPublic: false,
    isEnabled: true,
  },
  ...{
    isApplicableToAllNetworks: false,
    enabledChains: ['{chain}'],
    supportedEPVersions: ['EPV_06', 'EPV_07'],
  },
  ...{ isPerpetual: false, startTime: '2020-01-01T00:00:00.000Z', endTime: '2120-01-01T00:00:00.000Z' },
  ...{
    globalMaximumApplicable: true,
    globalMaximumUsd: 5000,
    globalMaximumNative: 2.5,
    globalMaximumOpCount: 1000,
  },
  ...{
    perUserMaximumApplicable: true,
    perUserMaximumUsd: 100.25,
    perUserMaximumNative: 1,
    perUserMaximumOpCount: 3,
  },
  ...{ perOpMaximumApplicable: true, perOpMaximumUsd: '0.5', perOpMaximumNative: 0.001 },
  ...{ addressAllowList: null, addressBlockList: null },
}
const shown = {
  ...{ ...sent, id: '{policy}', allowedTargets: null, whitelistApplicable: false },
  ...{ createdAt: '{time}', updatedAt: '{time}' },
  ...{ globalMaximumUsd: '5000.0000', globalMaximumNative: '2.500000000000000000' },
  ...{ perUserMaximumUsd: '100.2500', perUserMaximumNative: '1.000000000000000000' },
  ...{ perOpMaximumUsd: '0.5000', perOpMaximumNative: '0.001000000000000000' },
}
const changed = { ...shown, name: 'longer trial', perUserMaximumOpCount: 5 }
/** What only a name says. */
const newer = {
  ...{ id: '{newer}', walletAddress: '{wallet}', name: 'everywhere', description: '', isPublic: false },
  ...{ isEnabled: true, isApplicableToAllNetworks: true, enabledChains: [], isPerpetual: true },
  ...{ supportedEPVersions: ['EPV_06', 'EPV_07', 'EPV_08'], startTime: null, endTime: null },
  ...{ globalMaximumApplicable: false, globalMaximumUsd: null, globalMaximumNative: null },
  ...{ globalMaximumOpCount: null, perUserMaximumApplicable: false, perUserMaximumUsd: null },
  ...{ perUserMaximumNative: null, perUserMaximumOpCount: null, perOpMaximumApplicable: false },
  ...{ perOpMaximumUsd: null, perOpMaximumNative: null, addressAllowList: null, addressBlockList: null },
  ...{ allowedTargets: null, whitelistApplicable: false, createdAt: '{time}', updatedAt: '{time}' },
}
const noPolicy = refused(404, 'Sponsorship policy not found', 'policy_not_found')
const ofWallet = '/policy/walletAddress/{wallet}'
const byVersion = `${ofWallet}/epVersion/EPV_07`

const policies: readonly Row[] = [
  { ...{ method: 'GET', path: '/policy' }, ...noPolicy },
  {
    ...{ method: 'POST', path: '/addPolicy', payload: sent },
    answer: shown,
    keeps: { policy: 'id' },
    leaves: { policies: ['{policy} trial enabled, 3 a user'] },
  },
  {
    ...{ method: 'POST', path: '/addPolicy', payload: { name: 'everywhere' } },
    answer: newer,
    keeps: { newer: 'id' },
    leaves: { policies: ['{policy} trial enabled, 3 a user', '{newer} everywhere enabled'] },
  },
  {
    ...{ method: 'PUT', path: '/updatePolicy' },
    payload: { id: '{policy text}', name: 'longer trial', perUserMaximumOpCount: 5 },
    answer: changed,
    leaves: { policies: ['{policy} longer trial enabled, 5 a user', '{newer} everywhere enabled'] },
  },
  { method: 'GET', path: '/policy', answer: [newer, changed] },
  { method: 'GET', path: '/policy/{policy}', answer: changed },
  {
    ...{ method: 'GET', path: '/policy/{policy}/usage' },
    answer: {
      ...{ id: '{policy}', usedUsd: '0.0000', usedNative: '0.000000000000000000', usedOpCount: 0 },
      ...{ remainingUsd: '5000.0000', remainingNative: '2.500000000000000000', remainingOpCount: 1000 },
    },
  },
  { method: 'GET', path: ofWallet, answer: [newer, changed] },
  { method: 'GET', path: `${ofWallet}/latest`, answer: newer },
  { method: 'GET', path: `${ofWallet}/chainId/{chain}`, answer: [newer, changed] },
  { method: 'GET', path: `${ofWallet}/chainId/{chain}/latest`, answer: newer },
  { method: 'GET', path: byVersion, answer: [newer, changed] },
  { method: 'GET', path: `${byVersion}/latest`, answer: newer },
  { method: 'GET', path: `${byVersion}/chainId/{chain}`, answer: [newer, changed] },
  { method: 'GET', path: `${byVersion}/chainId/{chain}/latest`, answer: newer },
  { method: 'GET', path: `${byVersion}/chainId/1`, answer: [newer] },
  {
    ...{ method: 'PUT', path: '/disablePolicy/{newer}' },
    answer: { message: 'Successfully disabled policy with id {newer}' },
    leaves: { policies: ['{policy} longer trial enabled, 5 a user', '{newer} everywhere disabled'] },
  },
  {
    ...{ method: 'PUT', path: '/disablePolicy/{newer}' },
    ...refused(409, 'Policy with id {newer} is already disabled', 'already_disabled'),
  },
  { method: 'GET', path: `${ofWallet}/latest`, answer: changed },
  { ...{ method: 'GET', path: `${byVersion}/chainId/1/latest` }, ...noPolicy },
  {
    ...{ method: 'PUT', path: '/enablePolicy/{newer}' },
    answer: { message: 'Successfully enabled policy with id {newer}' },
    leaves: { policies: ['{policy} longer trial enabled, 5 a user', '{newer} everywhere enabled'] },
  },
  {
    ...{ method: 'PUT', path: '/enablePolicy/{newer}' },
    ...refused(409, 'Policy with id {newer} is already enabled', 'already_enabled'),
  },
  {
    ...{ method: 'POST', path: '/whitelist/v2', payload: { params: [['{other}'], '{policy text}'] } },
    answer: { message: 'Successfully whitelisted' },
    leaves: { lists: ['0 {sender06}', '0 {sender07}', '0 {sender08}', '{policy} {other}'] },
  },
  {
    ...{ method: 'POST', path: '/checkWhitelist/v2', payload: { params: ['{other}', '{policy text}'] } },
    answer: { message: 'Already added' },
  },
  {
    ...{ method: 'POST', path: '/getAllWhitelist/v2', payload: { params: ['{policy text}'] } },
    answer: { addresses: ['{other}'] },
  },
  { method: 'GET', path: '/policy/{policy}', answer: { ...changed, whitelistApplicable: true } },
  {
    ...{ method: 'POST', path: '/removeWhitelist/v2', payload: { params: [['{other}'], '{policy text}'] } },
    answer: { message: 'Successfully removed whitelisted addresses' },
    leaves: { lists: ['0 {sender06}', '0 {sender07}', '0 {sender08}'] },
  },
  {
    ...{ method: 'DELETE', path: '/deletePolicy/{newer}' },
    answer: { message: 'Successfully deleted policy with id {newer}' },
    leaves: { policies: ['{policy} longer trial enabled, 5 a user'] },
  },
  { ...{ method: 'DELETE', path: '/deletePolicy/{newer}' }, ...noPolicy },
  { ...{ method: 'GET', path: '/policy/{newer}' }, ...noPolicy },
]

/** In the order in which they are to be called. */
export const paymasterRows: readonly Row[] = [
  ...ownPaymasters,
  ...sharedPaymaster,
  ...lists,
  sponsored,
  ...told,
  ...sponsoring,
  ...quotes,
  ...beyond,
  ...policies,
]
