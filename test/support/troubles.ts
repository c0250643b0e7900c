import type { Trouble } from '../../src/once/wire/trouble.ts';

/** Troubles of each form, with their text for people and `--json`. */
export const troubles: readonly (readonly [Trouble, string])[] = [
  [
    { is: 'connection', code: 'ECONNREFUSED', text: 'connect ECONNREFUSED ::1:1' },
    'connect ECONNREFUSED ::1:1',
  ],
  [{ is: 'connection', text: 'bad upgrade', atProxy: true }, 'the proxy could not be used: bad upgrade'],
  [
    { is: 'certificate', code: 'CERT_HAS_EXPIRED', text: 'certificate has expired' },
    'certificate has expired',
  ],
  [{ is: 'no-tunnel', status: 407 }, 'the proxy made no tunnel (status 407)'],
  [{ is: 'timed-out', afterMs: 30_000 }, 'no complete reply came in time'],
  [{ is: 'reply-broke-off' }, 'the reply broke off'],
  [{ is: 'process-died' }, 'its process ended before the reply was recorded'],
  [{ is: 'attempt-failed', text: 'a bug' }, 'the request itself failed (a bug)'],
];
