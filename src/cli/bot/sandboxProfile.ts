import * as z from 'zod/mini';
import { parseBaseUrl } from '../../once/entry/baseUrl.ts';
import { failureWith, interrupted } from '../../once/failures.ts';
import type { ProfileRecord } from './profiles.ts';

/** The port is fixed: a profile, and the names used with it, stay valid across restarts. */
export const sandboxPort = 8420;

const text = z.string();

const state = z.object({
  tokens: z.object({ full: text }),
  wallet: z.object({ address: text }),
  assets: z.array(z.object({ symbol: text, mint: text })),
  genesis_hash: text,
});

/** A profile for the sandbox at this URL. The sandbox itself gives the other settings. */
export async function profileOfSandbox(at: string, stop: AbortSignal): Promise<ProfileRecord> {
  const baseUrl = parseBaseUrl(at, '--base-url');
  try {
    const reply = await fetch(`${baseUrl}/control`, { signal: stop });
    const { tokens, wallet, assets, genesis_hash: cluster } = z.parse(state, await reply.json());
    return {
      'base-url': baseUrl,
      token: { kind: 'stored', secret: tokens.full },
      'rpc-url': { kind: 'stored', secret: `${baseUrl}/rpc` },
      cluster,
      wallet: wallet.address,
      assets: Object.fromEntries(assets.map(({ symbol, mint }) => [symbol, mint])),
    };
  } catch (cause) {
    if (stop.aborted) throw interrupted('before the sandbox answered');
    throw failureWith('sandbox-unavailable', { cause })`No sandbox answers at ${baseUrl}
      Start it with botctl sandbox. If it shows another address, give that one with --base-url.`;
  }
}
