import { once } from 'node:events';
import { createServer as createHttp2, createSecureServer } from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { adviceOn, troubleOf } from '../../src/wire/trouble.ts';
import { makeCertificates } from '../../testing/certificates.ts';
import { flyTo, noReply } from '../../testing/flights.ts';

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
  test.each([
    [40, 'the server refused to set up TLS: no encryption in common, or it asks for a client certificate'],
    [42, 'the server asks for a client certificate, and botctl has none'],
    [45, 'the server refused a certificate: it has expired'],
    [48, 'the server refused a certificate: it does not know the authority'],
    [70, 'the server speaks only versions of TLS that are too old or unknown'],
    [80, 'the server failed while TLS was set up'],
    [112, 'the server does not know this host name'],
    [116, 'the server asks for a client certificate, and botctl has none'],
    [120, 'the server does not accept HTTP/1.1; it may speak only HTTP/2'],
    [10, 'TLS failed (UNEXPECTED_MESSAGE)'],
  ])('%i is said plainly', async (alert, trouble) => {
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
      expect(trouble).not.toMatch(raw);
      expect(trouble.length).toBeLessThan(120);
    }
  });
});

describe('what is no TLS', () => {
  test.each(['SSH-2.0-x\r\n', '220 mail ESMTP\r\n', 'HTTP/1.1 400 Bad\r\n\r\n', '\x16\x03\x01\xff\xffaaaa'])(
    '%j is said to be none',
    async (answer) => {
      const port = await portOf(answering(Buffer.from(answer, 'latin1')));
      const { trouble } = noReply(await flyTo(`https://127.0.0.1:${port}`));
      expect(trouble).toBe('the server does not speak TLS');
    },
  );
});

describe('what is no HTTP/1.1 is said to be what it is', () => {
  test.each<[string, () => Server, string]>([
    ['HTTP/2', () => createHttp2() as unknown as Server, 'the server speaks only HTTP/2'],
    ['SSH', () => greeting('SSH-2.0-OpenSSH_9.6\r\n'), 'an SSH server answers there'],
    ['SMTP', () => greeting('220 mx.test ESMTP Postfix\r\n'), 'a mail server answers there'],
    ['FTP', () => greeting('220 (vsFTPd 3.0.5)\r\n'), 'an FTP or mail server answers there'],
    ['IMAP', () => greeting('* OK IMAP4rev1 ready\r\n'), 'a mail server answers there'],
    ['Redis', () => answering("-ERR unknown command 'POST'\r\n"), 'a Redis or mail server answers there'],
    ['an alert', () => answering(Buffer.from([0x15, 3, 1, 0, 2, 2, 70])), 'the server speaks TLS'],
    ['nonsense', () => answering('hello\r\n\r\n'), 'the reply was not HTTP'],
  ])('%s', async (_what, server, trouble) => {
    const port = await portOf(server());
    const flight = noReply(await flyTo(`http://127.0.0.1:${port}`));
    expect(flight.trouble).toContain(trouble);
  });
});

const certificates = makeCertificates();

describe.skipIf(certificates === undefined)('certificates (skipped where there is no openssl)', () => {
  const good = certificates?.good ?? { key: '', cert: '' };

  test('of an authority that nobody knows: NODE_EXTRA_CA_CERTS is what helps', async () => {
    const port = await portOf(createTlsServer(good));
    const { trouble } = noReply(await flyTo(`https://localhost:${port}`));
    expect(trouble).toBe('the certificate is from an authority that this machine does not know');
    expect(adviceOn(trouble)).toContain('NODE_EXTRA_CA_CERTS');
  });

  test('a server of HTTP/2 only is said to be one', async () => {
    const port = await portOf(createSecureServer(good) as unknown as Server);
    const { trouble } = noReply(await flyTo(`https://localhost:${port}`));
    expect(trouble).toContain('it may speak only HTTP/2');
  });
});

const coded = (code: string, message = 'm'): Error => Object.assign(new Error(message), { code });
const line =
  '80D8:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/openssl/ssl.c:355:';

test.each<[Error, string]>([
  [coded('CERT_NOT_YET_VALID'), 'the certificate is not valid yet'],
  [coded('CERT_REVOKED'), 'the certificate has been revoked'],
  [
    coded('UNSPECIFIED', 'EE certificate key too weak'),
    'the key or the signature of the certificate is too weak',
  ],
  [coded('UNSPECIFIED', 'whatever'), 'the certificate is not accepted'],
  [coded('CRL_HAS_EXPIRED'), 'the certificate is not accepted (CRL_HAS_EXPIRED)'],
  [coded('EPROTO', `write EPROTO ${line}`), 'the server does not speak TLS'],
  [new Error(line), 'the server does not speak TLS'],
  [coded('ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', line), 'the server refused to set up TLS'],
  [coded('ERR_SSL_SOME_NEWS', line), 'TLS failed (SOME_NEWS)'],
  [coded('ERR_OSSL_ODD', 'error:0A000000:lib(20)::reason(0)'), 'TLS failed (ODD)'],
  [new Error('error:0A000000:lib(20)::reason(0):../deps/openssl/x.c'), 'TLS failed'],
])('%s is in plain words', (error, words) => {
  const trouble = troubleOf(error);
  expect(trouble).toContain(words);
  expect(trouble).not.toMatch(raw);
});

test.each([
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_UNTRUSTED',
])('%s names NODE_EXTRA_CA_CERTS in what to do', (code) => {
  expect(adviceOn(`the proxy could not be used: ${troubleOf(coded(code))}`)).toContain('NODE_EXTRA_CA_CERTS');
});

test('where nothing special helps there is no advice', () => {
  expect(adviceOn('the connection was refused')).toBeUndefined();
  expect(adviceOn(undefined)).toBeUndefined();
});
