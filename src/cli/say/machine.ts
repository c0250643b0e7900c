import type { MachineFacts } from '../../once/failures.ts';
import type { InputFacts } from '../../once/input.ts';
import type { WireFacts } from '../../once/wire/connecting.ts';
import { diskTrouble, troubleInWords } from './phrases.ts';
import { isItTheRightFile, neverTwice, says, type Table, whenReady } from './told.ts';

export const machineTable: Table<MachineFacts> = {
  'no-home': () => says`HOME is not set, and this user has no home folder
    Set HOME, or both XDG_CONFIG_HOME and XDG_DATA_HOME, to a permanent folder.`,
  failed: ({ error, path }) => says`
    This machine failed: ${diskTrouble(error)}${path === undefined ? '' : ` (${path})`}.
    Fix the problem named above and run the same command again: ${neverTwice}.`,
  bug: ({ what }) => says`botctl itself failed: ${what}
    Run it again with --verbose and report what it prints. The history shows the state of every entry:
    $ history`,
};

export const inputTable: Table<InputFacts> = {
  unreadable: ({ name, trouble }) => says`${name} cannot be read: ${troubleInWords(trouble)}
    Check the path and its permissions, then run the same command again.`,
  'too-long': ({ name, mostBytes }) => says`${name} is longer than ${mostBytes} bytes
    ${isItTheRightFile}`,
  interrupted: ({ name }) => says`Interrupted while ${name} was being read
    ${whenReady}`,
};

const insecureTlsHint =
  'Unset it. For a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate.';

const proxyHint = 'Set HTTPS_PROXY to a URL like http://proxy:3128, or unset it.';

function notAProxy({ scheme }: WireFacts['bad-proxy']): string {
  return scheme === undefined
    ? 'The proxy in HTTPS_PROXY is not an http:// or https:// URL'
    : `The proxy in HTTPS_PROXY begins with ${scheme}://, and botctl uses only http:// and https:// proxies`;
}

export const wireTable: Table<WireFacts> = {
  'unchecked-certificates': () => says`
    NODE_TLS_REJECT_UNAUTHORIZED=0 is set: anyone on the network could read the token
    ${insecureTlsHint}`,
  'bad-proxy': (fields) => ({ message: notAProxy(fields), hint: proxyHint }),
};
