import { failing } from '../failures.ts';

/** Why no connection to the service is attempted. */
export type WireFacts = {
  /** Certificates would not be checked (NODE_TLS_REJECT_UNAUTHORIZED). */
  'unchecked-certificates': Record<never, never>;
  /**
   * `scheme` is set only if it is a known one other than http or https. The rest of the text may contain a password.
   */
  'bad-proxy': { readonly scheme: string | undefined };
};

const codes = { 'unchecked-certificates': 'insecure-tls', 'bad-proxy': 'bad-proxy' } as const;

export const wireFailure = failing<WireFacts>('wire', codes);
