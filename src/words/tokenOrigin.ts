import type { TokenSource } from '../bot/tokenSource.ts';

/** Where a token comes from that is no profile's, or that something else gave. */
export const theTerminal = 'the terminal';
export const theTokenCommand = 'the token command';
export function theFile(path: string): string {
  return `the file ${path}`;
}
export function theProfile(name: string): string {
  return `profile ${name}`;
}

/** Where a token comes from, as people read it. The secret is no part of it. */
export function tokenOrigin(source: TokenSource): string {
  switch (source.kind) {
    case 'stored':
      return 'stored in the profile';
    case 'env':
      return `the variable ${source.variable}`;
    case 'file':
      return theFile(source.path);
    case 'command':
      return `the command ${source.command}`;
  }
}
