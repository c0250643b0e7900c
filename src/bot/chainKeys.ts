/** The keys of a profile that say which chain its transfers are on, and who can show them. */
export const chainKeys = ['rpc-url', 'cluster', 'wallet', 'assets'] as const;

export type ChainKey = (typeof chainKeys)[number];
