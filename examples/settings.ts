const { API_KEY, NODE, TANDEM, USE_VP, VERSION } = process.env

/** EntryPoint. */
export const version = VERSION === '0.6' || VERSION === '0.8' ? VERSION : '0.7'
export const nodeUrl = NODE ?? 'http://127.0.0.1:8545'
export const tandemUrl = TANDEM ?? 'http://127.0.0.1:4337'
export const apiKey = API_KEY ?? ''
/** The sponsor's own paymaster, not the shared one of EntryPoint 0.6. */
export const useVp = USE_VP ?? 'true'
