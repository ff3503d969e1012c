import { validationCases } from '../../../support/validationCases.ts'

validationCases('local', 'full')
