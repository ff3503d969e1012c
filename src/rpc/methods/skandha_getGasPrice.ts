import { bundler_getGasPrice } from './bundler_getGasPrice.ts'

/** `bundler_getGasPrice` as skandha's clients call it. */
export const skandha_getGasPrice = { ...bundler_getGasPrice, name: 'skandha_getGasPrice' }
