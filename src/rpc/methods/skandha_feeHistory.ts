import { bundler_feeHistory } from './bundler_feeHistory.ts'

/** `bundler_feeHistory` as skandha's clients call it. */
export const skandha_feeHistory = { ...bundler_feeHistory, name: 'skandha_feeHistory' }
