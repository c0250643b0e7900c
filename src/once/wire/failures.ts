import { failing, failureWith } from '../failures.ts';

/** Why no connection to the service is attempted. */
export const wireFailure = failing('wire', {
  'unchecked-certificates': () => failureWith('insecure-tls')`
    NODE_TLS_REJECT_UNAUTHORIZED=0 is set: anyone on the network could read the token
    Unset it. For a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate.`,
  /** Its text is not shown: it may contain a password. */
  'bad-proxy': () => failureWith('bad-proxy')`The proxy in HTTPS_PROXY is not an http:// or https:// URL
    Set HTTPS_PROXY to a URL like http://proxy:3128, or unset it.`,
});
