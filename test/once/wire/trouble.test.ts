import { once } from 'node:events';
import { createServer as createHttp2, createSecureServer } from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { type Trouble, troubleOf } from '../../../src/once/wire/trouble.ts';
import { makeCertificates } from '../../../testing/certificates.ts';
import { flyTo, noReply } from '../../../testing/flights.ts';

const open: Server[] = [];
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of open.splice(0)) server.close();
});

async function portOf(server: Server): Promise<number> {
  open.push(server);
  server.on('connection', (socket: Socket) => void sockets.add(socket.on('error', () => {})));
  server.on('tlsClientError', () => {});
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

const answering = (answer: string | Buffer): Server =>
  createServer((socket) => void socket.once('data', () => socket.end(answer)));

const greeting = (text: string): Server => createServer((socket) => void socket.write(text));

const raw = /error:|openssl|SSL routines|\.c:\d/iu;

describe('a TLS alert', () => {
  test.each<[number, Trouble]>([
    [40, { is: 'tls', problem: 'nothing-in-common' }],
    [42, { is: 'tls', problem: 'wants-certificate' }],
    [45, { is: 'tls', problem: 'certificate-expired' }],
    [48, { is: 'tls', problem: 'certificate-of-unknown-authority' }],
    [70, { is: 'tls', problem: 'other-version' }],
    [80, { is: 'tls', problem: 'server-failed' }],
    [112, { is: 'tls', problem: 'unknown-host' }],
    [116, { is: 'tls', problem: 'wants-certificate' }],
    [120, { is: 'tls', problem: 'only-http2' }],
    [10, { is: 'tls', problem: 'failed', reason: 'UNEXPECTED_MESSAGE' }],
  ])('%i is known for what it is', async (alert, trouble) => {
    const port = await portOf(answering(Buffer.from([0x15, 3, 1, 0, 2, 2, alert])));
    expect(noReply(await flyTo(`https://127.0.0.1:${port}`))).toEqual({
      came: 'nothing',
      headersSent: false,
      trouble,
    });
  });

  test('of any number shows nothing of OpenSSL', async () => {
    for (let alert = 0; alert < 256; alert += 3) {
      const port = await portOf(answering(Buffer.from([0x15, 3, 1, 0, 2, 2, alert])));
      const { trouble } = noReply(await flyTo(`https://127.0.0.1:${port}`));
      const kept = JSON.stringify(trouble);
      expect(kept).not.toMatch(raw);
      expect(kept.length).toBeLessThan(120);
    }
  });
});

describe('what is no TLS', () => {
  test.each(['SSH-2.0-x\r\n', '220 mail ESMTP\r\n', 'HTTP/1.1 400 Bad\r\n\r\n', '\x16\x03\x01\xff\xffaaaa'])(
    '%j is said to be none',
    async (answer) => {
      const port = await portOf(answering(Buffer.from(answer, 'latin1')));
      const { trouble } = noReply(await flyTo(`https://127.0.0.1:${port}`));
      expect(trouble).toEqual({ is: 'tls', problem: 'not-spoken' });
    },
  );
});

describe('what is no HTTP/1.1 is said to be what it is', () => {
  test.each<[string, () => Server, (Trouble & { is: 'not-http' })['speaks']]>([
    ['HTTP/2', () => createHttp2() as unknown as Server, 'http2'],
    ['SSH', () => greeting('SSH-2.0-OpenSSH_9.6\r\n'), 'ssh'],
    ['SMTP', () => greeting('220 mx.test ESMTP Postfix\r\n'), 'mail'],
    ['FTP', () => greeting('220 (vsFTPd 3.0.5)\r\n'), 'ftp'],
    ['IMAP', () => greeting('* OK IMAP4rev1 ready\r\n'), 'mail'],
    ['Redis', () => answering("-ERR unknown command 'POST'\r\n"), 'redis'],
    ['an alert', () => answering(Buffer.from([0x15, 3, 1, 0, 2, 2, 70])), 'tls'],
    ['nonsense', () => answering('hello\r\n\r\n'), 'unknown'],
  ])('%s', async (_what, server, speaks) => {
    const port = await portOf(server());
    const flight = noReply(await flyTo(`http://127.0.0.1:${port}`));
    expect(flight.trouble).toEqual({ is: 'not-http', speaks });
  });
});

const certificates = makeCertificates();

describe.skipIf(certificates === undefined)('certificates (skipped where there is no openssl)', () => {
  const good = certificates?.good ?? { key: '', cert: '' };

  test('of an authority that nobody knows', async () => {
    const port = await portOf(createTlsServer(good));
    const { trouble } = noReply(await flyTo(`https://localhost:${port}`));
    expect(trouble).toEqual({ is: 'certificate', problem: 'unknown-authority' });
  });

  test('a server of HTTP/2 only is said to be one', async () => {
    const port = await portOf(createSecureServer(good) as unknown as Server);
    const { trouble } = noReply(await flyTo(`https://localhost:${port}`));
    expect(trouble).toEqual({ is: 'tls', problem: 'only-http2' });
  });
});

const coded = (code: string, message = 'm'): Error => Object.assign(new Error(message), { code });
const line =
  '80D8:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/openssl/ssl.c:355:';

const certificate = (problem: (Trouble & { is: 'certificate' })['problem']): Trouble => ({
  is: 'certificate',
  problem,
});

test.each<[unknown, Trouble]>([
  [coded('ENOTFOUND'), { is: 'host-not-found' }],
  [coded('EAI_AGAIN'), { is: 'lookup-failed' }],
  [coded('ECONNREFUSED'), { is: 'refused' }],
  [coded('ECONNRESET'), { is: 'reset' }],
  [coded('EPIPE'), { is: 'closed' }],
  [coded('UND_ERR_SOCKET'), { is: 'closed-by-other-side' }],
  [coded('ENETUNREACH'), { is: 'network-unreachable' }],
  [coded('EHOSTUNREACH'), { is: 'host-unreachable' }],
  [coded('ETIMEDOUT'), { is: 'connection-timed-out' }],
  [coded('UND_ERR_CONNECT_TIMEOUT'), { is: 'connecting-too-slow' }],
  [new AggregateError([coded('ECONNREFUSED'), coded('ENETUNREACH')]), { is: 'refused' }],
  [new AggregateError([], 'm'), { is: 'other', text: 'm' }],
  [coded('HPE_INVALID_CONSTANT'), { is: 'not-http', speaks: 'unknown' }],
  [coded('EODD'), { is: 'other', code: 'EODD', text: 'm' }],
  [coded('constructor'), { is: 'other', code: 'constructor', text: 'm' }],
  ['text', { is: 'other', text: 'text' }],
  [undefined, { is: 'other', text: 'undefined' }],
  [coded('UNABLE_TO_GET_ISSUER_CERT'), certificate('unknown-authority')],
  [coded('UNABLE_TO_GET_ISSUER_CERT_LOCALLY'), certificate('unknown-authority')],
  [coded('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), certificate('unknown-authority')],
  [coded('SELF_SIGNED_CERT_IN_CHAIN'), certificate('unknown-authority')],
  [coded('CERT_UNTRUSTED'), certificate('unknown-authority')],
  [coded('DEPTH_ZERO_SELF_SIGNED_CERT'), certificate('self-signed')],
  [coded('CERT_HAS_EXPIRED'), certificate('expired')],
  [coded('CERT_NOT_YET_VALID'), certificate('not-yet-valid')],
  [coded('CERT_REVOKED'), certificate('revoked')],
  [coded('CERT_REJECTED'), certificate('not-for-this-use')],
  [coded('INVALID_CA'), certificate('issuer-is-no-authority')],
  [coded('INVALID_PURPOSE'), certificate('not-for-servers')],
  [coded('PATH_LENGTH_EXCEEDED'), certificate('chain-too-long')],
  [coded('CERT_CHAIN_TOO_LONG'), certificate('chain-too-long')],
  [coded('CERT_SIGNATURE_FAILURE'), certificate('wrong-signature')],
  [coded('HOSTNAME_MISMATCH'), certificate('other-host')],
  [coded('ERR_TLS_CERT_ALTNAME_INVALID'), certificate('other-host')],
  [coded('ERR_TLS_DH_PARAM_SIZE'), certificate('too-weak')],
  [coded('UNSPECIFIED', 'EE certificate key too weak'), certificate('too-weak')],
  [coded('UNSPECIFIED', 'whatever'), certificate('not-accepted')],
  [coded('CRL_HAS_EXPIRED'), { is: 'certificate', problem: 'not-accepted', code: 'CRL_HAS_EXPIRED' }],
  [coded('ERR_SSL_CERTIFICATE_VERIFY_FAILED', line), certificate('unknown-authority')],
  [coded('ERR_SSL_DH_KEY_TOO_SMALL', line), certificate('too-weak')],
  [coded('EPROTO', `write EPROTO ${line}`), { is: 'tls', problem: 'not-spoken' }],
  [new Error(line), { is: 'tls', problem: 'not-spoken' }],
  [coded('ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', line), { is: 'tls', problem: 'nothing-in-common' }],
  [coded('ERR_SSL_UNEXPECTED_EOF_WHILE_READING', line), { is: 'tls', problem: 'closed' }],
  [coded('ERR_SSL_SOME_NEWS', line), { is: 'tls', problem: 'failed', reason: 'SOME_NEWS' }],
  [
    coded('ERR_OSSL_ODD', 'error:0A000000:lib(20)::reason(0)'),
    { is: 'tls', problem: 'failed', reason: 'ODD' },
  ],
  [new Error('error:0A000000:lib(20)::reason(0):../deps/openssl/x.c'), { is: 'tls', problem: 'failed' }],
])('%s is known for what it is', (error, trouble) => {
  expect(troubleOf(error)).toEqual(trouble);
});
