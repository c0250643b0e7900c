export type OtherProtocol = 'http2' | 'tls' | 'ssh' | 'mail' | 'ftp' | 'redis';

/** What servers of other protocols say first, or in answer to a request that they cannot read. */
const greetings: readonly (readonly [RegExp, OtherProtocol])[] = [
  [/^SSH-\d/u, 'ssh'],
  [/^(220|421|554)[ -].*(SMTP|Postfix|Exim|mail)/iu, 'mail'],
  [/^220[ -]/u, 'ftp'],
  [/^(\+OK|\* OK)/u, 'mail'],
  [/^-ERR/u, 'redis'],
];

const settingsFrame = 4;
const goAwayFrame = 7;

/** The head of an HTTP/2 frame: its length in three bytes, its type, its flags, and stream 0 in four. */
function isHttp2(beginning: string): boolean {
  const type = beginning.charCodeAt(3);
  const isOfConnection = beginning.startsWith('\0\0') && beginning.slice(5, 9) === '\0'.repeat(4);
  return isOfConnection && (type === settingsFrame || type === goAwayFrame);
}

const tlsRecords = ['\x15\x03', '\x16\x03'];

/** What a reply is that no parser took for HTTP. Only its beginning is looked at, and nothing of it is shown. */
export function otherProtocol(error: Error): OtherProtocol | undefined {
  const beginning = beginningOf(error);
  if (isHttp2(beginning)) return 'http2';
  if (tlsRecords.some((record) => beginning.startsWith(record))) return 'tls';
  return greetings.find(([greeting]) => greeting.test(beginning))?.[1];
}

function beginningOf(error: Error): string {
  // undici keeps what it could not read as text, Node's own client the packet that it stood in.
  if ('data' in error && typeof error.data === 'string') return error.data.slice(0, 200);
  if ('rawPacket' in error && error.rawPacket instanceof Uint8Array) {
    return Buffer.from(error.rawPacket.subarray(0, 200)).toString('latin1');
  }
  return '';
}
