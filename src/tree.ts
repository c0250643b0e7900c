import { approveSpec, declineSpec } from './cli/commands/approve/spec.ts';
import { balanceSpec } from './cli/commands/balance/spec.ts';
import { batchSpec } from './cli/commands/batch/spec.ts';
import { completeSpecOf, completionSpec } from './cli/commands/completion/spec.ts';
import { configSpec } from './cli/commands/config/spec.ts';
import { doctorSpec } from './cli/commands/doctor/spec.ts';
import { helpSpecOf, versionSpec } from './cli/commands/help/spec.ts';
import { historySpec } from './cli/commands/history/spec.ts';
import { journalSpec } from './cli/commands/journal/spec.ts';
import { policySpec } from './cli/commands/policy/spec.ts';
import { resolveSpec } from './cli/commands/resolve/spec.ts';
import { resumeSpec } from './cli/commands/resume/spec.ts';
import { sandboxSpec } from './cli/commands/sandbox/spec.ts';
import { sendSpec } from './cli/commands/send/spec.ts';
import { transferSpec } from './cli/commands/transfer/spec.ts';
import { verifySpec } from './cli/commands/verify/spec.ts';
import type { CommandSpec } from './cli/parse/command.ts';

/** Every command, in help order. A command's code is loaded when it runs. */
export const commandTree: readonly CommandSpec[] = [
  sendSpec,
  transferSpec,
  batchSpec,
  historySpec,
  resumeSpec,
  resolveSpec,
  approveSpec,
  declineSpec,
  verifySpec,
  balanceSpec,
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
