import { listed } from './list.ts';
import { Told } from './told.ts';

const problems = {
  'not-a-url': 'is not a URL',
  'not-https': 'is not https (only a node on this machine may be asked by http)',
  'user-info': 'holds a user name or a password: a key goes into its path or query',
  fragment: 'has a part after #, which is never sent',
} as const;

/** The URL is not echoed: it may carry a key. */
export function badRpcUrl(origin: string, problem: keyof typeof problems): Told {
  return new Told('bad-rpc-url', `The rpc-url from ${origin} ${problems[problem]}`, {
    hint: 'Give the whole URL of a Solana node, as its operator shows it.',
  });
}

export function sameHostTwice(host: string): Told {
  return new Told('bad-rpc-url', `Two rpc-urls are of the same host (${host})`, {
    hint: 'Two nodes are two witnesses only where different hosts run them. Remove one, or name another.',
  });
}

export function badCluster(text: string, names: readonly string[]): Told {
  return new Told('bad-input', `${JSON.stringify(text)} is not a cluster`, {
    hint: `Use ${listed(names, 'or')}, or the cluster’s genesis hash.`,
  });
}

export function badWallet(text: string): Told {
  return new Told('bad-input', `The wallet ${JSON.stringify(text)} is not 32 bytes in base58`, {
    hint: 'Give the address of the bot’s own wallet.',
  });
}

export function badAssets(problem: string): Told {
  return new Told('bad-input', `The assets are not right: ${problem}`, {
    hint: 'Write names and mints, as in \'{"USDC":"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"}\'.',
  });
}

export function rpcUrlAsArgument(): Told {
  return new Told(
    'usage',
    'An rpc-url with a path or a query is never an argument: it may carry a key, and arguments are visible in ps',
    {
      hint: 'If it holds a key, have a new one issued. Leave it out to be asked for it, or use --token-stdin, --token-env, --token-file or --token-command.',
    },
  );
}

export function addIsForRpcUrl(): Told {
  return new Told('usage', '--add goes with rpc-url only', {
    hint: 'Other keys have one value.',
  });
}

export const theInput = 'what was given';

export function rpcUrlQuestion(profile: string): string {
  return `rpc-url of ${profile} (not shown)`;
}

/** Beside a source whose text is only looked at. */
export const notARpcUrl = 'not a URL that can be used';
