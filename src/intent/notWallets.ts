/**
 * Addresses that are points of the curve by accident or design, but nobody's wallet: pasted by mistake, they
 * would keep the money for ever.
 */
export const notWallets: Readonly<Record<string, string>> = {
  '11111111111111111111111111111111': 'the system program',
  TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA: 'the token program',
  TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb: 'the token program of 2022',
  ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL: 'the associated token program',
  MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr: 'the memo program',
  Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo: 'the old memo program',
  ComputeBudget111111111111111111111111111111: 'the compute budget program',
  So11111111111111111111111111111111111111112: 'the mint of wrapped SOL',
  EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v: 'the mint of USDC',
  Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB: 'the mint of USDT',
};
