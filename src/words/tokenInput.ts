import { interrupted } from './interrupted.ts';
import { Told } from './told.ts';

export function interruptedBeforeToken(): Told {
  return interrupted('before a token was read');
}

export function emptyTokenInput(origin: string): Told {
  return new Told('no-token', `There is no token in ${origin}: it is empty`, {
    hint: 'Put the token there, alone on one line, and run the same command again.',
  });
}

export function manyTokenLines(origin: string): Told {
  return new Told('bad-token', `There is more than one line in ${origin}`, {
    hint: 'It must contain the token alone, on one line. Is this the right file?',
  });
}

export function unreadableTokenFile(path: string, reason: string): Told {
  return new Told('no-token', `The token file ${path} cannot be read: ${reason}`, {
    hint: 'Check the path and its permissions, then run the same command again.',
  });
}

export function tokenStdinIsTerminal(): Told {
  return new Told('no-token', 'The token should come from stdin, but stdin is a terminal', {
    hint: 'Pipe it in, as in: op read op://vault/bot/token | botctl …',
  });
}
