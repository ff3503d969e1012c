/** The calls that an EntryPoint makes for one operation, in its order. */
export type Phase = 'create' | 'validate' | 'paymaster' | 'execute' | 'postOp'
