import type { Failure } from '../errors.ts';
import { again } from '../words/again.ts';
import { tooManyArguments } from '../words/commandLine.ts';
import type { Occurrence } from './given.ts';
import type { LeafSpec } from './spec.ts';

type Call = {
  readonly command: string;
  readonly args: readonly string[];
  readonly occurrences: readonly Occurrence[];
};

/** What to say of words that a command has no use for: how it is called, as a line of what was given if it is plain. */
export function extraWords(spec: LeafSpec, call: Call): Failure | undefined {
  const takes = spec.arguments ?? [];
  if (call.args.length <= takes.length || takes.at(-1)?.usage.includes('...')) return undefined;
  const has = (option: string): boolean => call.occurrences.some(({ name }) => name === option);
  const meant = spec.meant?.(call.args, has);
  const next = meant === undefined ? undefined : again({ ...call, args: [] }, [], ...meant);
  return tooManyArguments({
    command: call.command,
    got: call.args.length,
    usages: takes.map(({ usage }) => usage),
    meant: next,
  });
}
