import type { CommandSpec } from '../cli/spec.ts';

/** Every command, in the order the help shows them. What a command does is loaded when it runs. */
export const commandTree: readonly CommandSpec[] = [];
