import type { WireFacts } from '../wire/facts.ts';
import type { Table } from './told.ts';

export const insecureTlsHint =
  'Unset it. For a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate.';

export const proxyHint = 'Set HTTPS_PROXY to a URL like http://proxy:3128, or unset it.';

export const unreadableProxy = 'an unreadable proxy URL';

export function notAProxy({ scheme }: WireFacts['bad-proxy']): string {
  return scheme === undefined
    ? 'The proxy in HTTPS_PROXY is not an http:// or https:// URL'
    : `The proxy in HTTPS_PROXY begins with ${scheme}://, and botctl uses only http:// and https:// proxies`;
}

export const wireTable: Table<WireFacts> = {
  'unchecked-certificates': () => ({
    message: 'NODE_TLS_REJECT_UNAUTHORIZED=0 is set: anyone on the way could read the token',
    hint: insecureTlsHint,
  }),
  'bad-proxy': (fields) => ({ message: notAProxy(fields), hint: proxyHint }),
};
