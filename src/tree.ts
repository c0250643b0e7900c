import type { CommandSpec } from './cli/spec.ts';
import { batchSpec } from './commands/batchSpec.ts';
import { completeSpecOf, completionSpec } from './commands/completionSpec.ts';
import { configSpec } from './commands/config/spec.ts';
import { doctorSpec } from './commands/doctorSpec.ts';
import { helpSpecOf } from './commands/helpSpec.ts';
import { historySpec } from './commands/historySpec.ts';
import { journalSpec } from './commands/journal/spec.ts';
import { policySpec } from './commands/policy/spec.ts';
import { resolveSpec } from './commands/resolveSpec.ts';
import { resumeSpec } from './commands/resumeSpec.ts';
import { sandboxSpec } from './commands/sandboxSpec.ts';
import { sendSpec } from './commands/sendSpec.ts';
import { transferSpec } from './commands/transferSpec.ts';
import { verifySpec } from './commands/verifySpec.ts';
import { versionSpec } from './commands/versionSpec.ts';

/** Every command, in the order the help shows them. What a command does is loaded when it runs. */
export const commandTree: readonly CommandSpec[] = [
  sendSpec,
  transferSpec,
  batchSpec,
  historySpec,
  resumeSpec,
  resolveSpec,
  verifySpec,
  configSpec,
  policySpec,
  journalSpec,
  sandboxSpec,
  doctorSpec,
  completionSpec,
  helpSpecOf(() => commandTree),
  completeSpecOf(() => commandTree),
  versionSpec,
];
