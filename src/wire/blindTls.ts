import { Failure } from '../errors.ts';
import { isLoopback } from '../intent/baseUrl.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Nobody is trusted with a token whose certificate nobody looks at. */
export function refuseBlindTls(origin: string, env: Env): void {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED !== '0' || isLoopback(new URL(origin))) return;
  throw new Failure(
    'insecure-tls',
    'NODE_TLS_REJECT_UNAUTHORIZED=0 is set: anyone on the way could read the token. Nothing was sent.',
    { hint: 'Unset it. For a private certificate authority set NODE_EXTRA_CA_CERTS to its certificate.' },
  );
}
