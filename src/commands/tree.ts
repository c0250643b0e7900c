import type { CommandSpec } from '../cli/spec.ts';
import { batchSpec } from './batchSpec.ts';
import { completeSpec, completionSpec } from './completionSpec.ts';
import { configSpec } from './config/spec.ts';
import { doctorSpec } from './doctorSpec.ts';
import { helpSpec } from './helpSpec.ts';
import { historySpec } from './historySpec.ts';
import { resolveSpec } from './resolveSpec.ts';
import { resumeSpec } from './resumeSpec.ts';
import { sandboxSpec } from './sandboxSpec.ts';
import { sendSpec } from './sendSpec.ts';
import { transferSpec } from './transferSpec.ts';

/** Every command, in the order the help shows them. What a command does is loaded when it runs. */
export const commandTree: readonly CommandSpec[] = [
  sendSpec,
  transferSpec,
  batchSpec,
  historySpec,
  resumeSpec,
  resolveSpec,
  configSpec,
  sandboxSpec,
  doctorSpec,
  completionSpec,
  helpSpec,
  completeSpec,
];
