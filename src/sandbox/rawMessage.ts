import type { Made } from './ledger.ts';

/** The message in the encoding `json`, with indexes for addresses. It goes when `src/once/chain` asks for `jsonParsed`. */
export function rawMessage({ accounts, instructions }: Made): object {
  return {
    accountKeys: accounts,
    instructions: instructions.map(({ program, accounts: used, data }) => ({
      programIdIndex: accounts.indexOf(program),
      accounts: used.map((address) => accounts.indexOf(address)),
      data,
    })),
  };
}
