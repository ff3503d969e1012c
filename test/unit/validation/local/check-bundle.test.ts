import { bundleCases } from '../../../support/bundleCases.ts'

bundleCases('local')
