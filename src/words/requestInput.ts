import { listed } from './list.ts';
import { Told } from './told.ts';

const option = (name: string): string => `--${name}`;

export function sharedStdin(names: readonly string[]): Told {
  return new Told(
    'usage',
    `${listed(names.map(option))} ${names.length === 2 ? 'both' : 'all'} want to read stdin`,
    { hint: 'Only one of them can be -; give the others as files.' },
  );
}

export function bothGiven(one: string, other: string): Told {
  return new Told('usage', `${option(one)} and ${option(other)} are both given`, {
    hint: 'Give one of them.',
  });
}

export function inputTooLong(source: string, most: number): Told {
  return new Told('bad-file', `${source} is longer than ${most} bytes`, {
    hint: 'No request of this service is that long. Is it the right file?',
  });
}

export const stdinOf = (name: string): string => `${option(name)} (stdin)`;

export function readFromTerminal(name: string): string {
  return `${option(name)} is read from the terminal; Ctrl-D ends it.`;
}

export function notAPayload(): Told {
  return new Told('bad-input', 'The payload is not a JSON object', {
    hint: 'Give the whole request body, like {"conversation_id": "…", "content": "…"}.',
  });
}
