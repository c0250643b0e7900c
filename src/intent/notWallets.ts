export type NotWallet =
  | 'system-program'
  | 'token-program'
  | 'token-program-of-2022'
  | 'associated-token-program'
  | 'memo-program'
  | 'old-memo-program'
  | 'compute-budget-program'
  | 'mint-of-wrapped-sol'
  | 'mint-of-usdc'
  | 'mint-of-usdt';

/**
 * Addresses that are points of the curve by accident or design, but nobody's wallet: pasted by mistake, they
 * would keep the money for ever.
 */
export const notWallets: Readonly<Record<string, NotWallet>> = {
  '11111111111111111111111111111111': 'system-program',
  TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA: 'token-program',
  TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb: 'token-program-of-2022',
  ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL: 'associated-token-program',
  MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr: 'memo-program',
  Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo: 'old-memo-program',
  ComputeBudget111111111111111111111111111111: 'compute-budget-program',
  So11111111111111111111111111111111111111112: 'mint-of-wrapped-sol',
  EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v: 'mint-of-usdc',
  Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB: 'mint-of-usdt',
};
