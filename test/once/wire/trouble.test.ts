import { expect, test } from 'vitest';
import { type Trouble, troubleOf } from '../../../src/once/wire/trouble.ts';

const coded = (code: string, message = 'm'): Error => Object.assign(new Error(message), { code });
const connection = (code: string, text = 'm'): Trouble => ({ is: 'connection', code, text });
const certificate = (code: string): Trouble => ({ is: 'certificate', code, text: 'm' });

test.each<[unknown, Trouble]>([
  [coded('ECONNREFUSED'), connection('ECONNREFUSED')],
  [new AggregateError([coded('ECONNREFUSED'), coded('ENETUNREACH')]), connection('ECONNREFUSED')],
  [new AggregateError([], 'm'), { is: 'connection', text: 'm' }],
  [coded('EPROTO', 'write EPROTO\n 80D8:error:  no\n'), connection('EPROTO', 'write EPROTO 80D8:error: no')],
  [coded('ERR_SSL_TLSV1_ALERT_CERTIFICATE_EXPIRED'), connection('ERR_SSL_TLSV1_ALERT_CERTIFICATE_EXPIRED')],
  ['text', { is: 'connection', text: 'text' }],
  [undefined, { is: 'connection', text: 'undefined' }],
  ...[
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'CERT_HAS_EXPIRED',
    'CRL_HAS_EXPIRED',
    'INVALID_CA',
    'HOSTNAME_MISMATCH',
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ].map((code): [unknown, Trouble] => [coded(code), certificate(code)]),
])('%s keeps the words of the library', (error, trouble) => {
  expect(troubleOf(error)).toEqual(trouble);
});
