import { failing } from '../failures.ts';

/** Why no way to the service is begun. */
export type WireFacts = {
  /** Certificates would not be checked (NODE_TLS_REJECT_UNAUTHORIZED). */
  'unchecked-certificates': Record<never, never>;
  /** `scheme`: where it is another one than http or https, and a known one. The rest may hold a password. */
  'bad-proxy': { readonly scheme: string | undefined };
};

const codes = { 'unchecked-certificates': 'insecure-tls', 'bad-proxy': 'bad-proxy' } as const;

export const wireFailure = failing<WireFacts>('wire', codes);
