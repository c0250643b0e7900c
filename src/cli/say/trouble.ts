import type { Trouble } from '../../once/wire/trouble.ts';

type Of<Is extends Trouble['is']> = Trouble & { readonly is: Is };

const sentences: { readonly [Is in Trouble['is']]: string | ((trouble: Of<Is>) => string) } = {
  connection: ({ text }) => text,
  certificate: ({ text }) => text,
  'no-tunnel': ({ status }) => `the proxy made no tunnel (status ${status})`,
  'timed-out': 'no complete reply came in time',
  'no-answer': 'no answer came in time',
  'reply-broke-off': 'the reply broke off',
  'reply-too-long': 'the reply was longer than botctl reads',
  interrupted: 'it was interrupted',
  'given-up': 'it was abandoned',
  'other-origin': 'the address belongs to another origin',
  'process-died': 'its process ended before the reply was recorded',
  'journal-gone': 'the journal was gone by the time the connection was ready',
  'claim-too-old': 'this process was silent for too long, and another one may have taken over',
  'too-late': 'it was too late by the time the connection was ready',
  'attempt-failed': ({ text }) => `the request itself failed (${text})`,
};

/** What went wrong with an attempt, as part of a sentence. */
export function troubleWords(trouble: Trouble): string {
  const sentence: string | ((trouble: never) => string) = sentences[trouble.is];
  const words = typeof sentence === 'function' ? sentence(trouble as never) : sentence;
  return trouble.atProxy ? `the proxy could not be used: ${words}` : words;
}

const checkTls =
  'Check the base URL and the date of this machine; for a private authority, set NODE_EXTRA_CA_CERTS to the file of its certificate';

const checkNetwork = 'Check the network, and whether a proxy is needed (HTTPS_PROXY)';

/** By the codes of Node and undici. */
const advices: readonly (readonly [RegExp, string])[] = [
  [/^(?:ERR_SSL_|ERR_TLS_|EPROTO$)/u, checkTls],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/u, 'Check the host in the base URL, and that this machine can look names up'],
  [/^ECONNREFUSED$/u, 'Check the port in the base URL, and that the service runs'],
  [/TIMEDOUT$|TIMEOUT$/u, checkNetwork],
];

/** What to do about a trouble, as the start of a sentence; undefined if nothing special helps. */
export function adviceOn(trouble: Trouble | undefined): string | undefined {
  if (trouble?.atProxy || trouble?.is === 'no-tunnel')
    return 'Check HTTPS_PROXY, with its user and password if it wants them, and NO_PROXY';
  if (trouble?.is === 'certificate') return checkTls;
  if (trouble?.is === 'timed-out') return checkNetwork;
  if (trouble?.is !== 'connection') return undefined;
  const { code = '' } = trouble;
  return advices.find(([codes]) => codes.test(code))?.[1];
}
