import type { CommandSpec } from '../cli/spec.ts';
import { sandboxSpec } from './sandboxSpec.ts';

/** Every command, in the order the help shows them. What a command does is loaded when it runs. */
export const commandTree: readonly CommandSpec[] = [sandboxSpec];
