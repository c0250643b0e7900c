import { Told } from './told.ts';

export const insecureTlsHint =
  'Unset it. For a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate.';

export function insecureTls(): Told {
  return new Told(
    'insecure-tls',
    'NODE_TLS_REJECT_UNAUTHORIZED=0 is set: anyone on the way could read the token',
    { hint: insecureTlsHint },
  );
}
