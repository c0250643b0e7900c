import { type Failure, told } from '../../once/failures.ts';

const option = (name: string): string => `--${name}`;

export function bothGiven(one: string, other: string): Failure {
  return told('usage')`${option(one)} and ${option(other)} are both given
    Give one of them.`;
}

export const stdinOf = (name: string): string => `${option(name)} (stdin)`;
