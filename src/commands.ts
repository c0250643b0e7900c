import { approveSpec, declineSpec } from './cli/commands/approve.spec.ts';
import { balanceSpec } from './cli/commands/balance.spec.ts';
import { batchSpec } from './cli/commands/batch/batch.spec.ts';
import { completionSpec } from './cli/commands/completion.spec.ts';
import { configSpec } from './cli/commands/config/config.spec.ts';
import { doctorSpec } from './cli/commands/doctor.spec.ts';
import { helpSpec } from './cli/commands/help.spec.ts';
import { historySpec } from './cli/commands/history/history.spec.ts';
import { journalSpec } from './cli/commands/journal.spec.ts';
import { mcpSpec } from './cli/commands/mcp.spec.ts';
import { policySpec } from './cli/commands/policy.spec.ts';
import { resolveSpec } from './cli/commands/resolve.spec.ts';
import { resumeSpec } from './cli/commands/resume.spec.ts';
import { sandboxSpec } from './cli/commands/sandbox.spec.ts';
import { sendSpec } from './cli/commands/send.spec.ts';
import { transferSpec } from './cli/commands/transfer.spec.ts';
import { verifySpec } from './cli/commands/verify.spec.ts';
import { branch, type CommandSpec, leaf } from './cli/parse/command.ts';

/** Every command, in the order of the help. A command's code is loaded when it runs. */
export const commandTree: readonly CommandSpec[] = [
  leaf('send', sendSpec, async () => (await import('./cli/commands/send.ts')).run),
  leaf('transfer', transferSpec, async () => (await import('./cli/commands/transfer.ts')).run),
  branch('batch', batchSpec, {
    send: async () => (await import('./cli/commands/batch/batch.ts')).sendBatch,
    transfer: async () => (await import('./cli/commands/batch/batch.ts')).transferBatch,
    status: async () => (await import('./cli/commands/batch/status.ts')).run,
  }),
  leaf('history', historySpec, async () => (await import('./cli/commands/history/run.ts')).run),
  leaf('resume', resumeSpec, async () => (await import('./cli/commands/resume.ts')).run),
  leaf('resolve', resolveSpec, async () => (await import('./cli/commands/resolve.ts')).run),
  leaf('approve', approveSpec, async () => (await import('./cli/commands/approve.ts')).approve),
  leaf('decline', declineSpec, async () => (await import('./cli/commands/approve.ts')).decline),
  leaf('verify', verifySpec, async () => (await import('./cli/commands/verify.ts')).run),
  leaf('balance', balanceSpec, async () => (await import('./cli/commands/balance.ts')).balance),
  branch('config', configSpec, {
    add: async () => (await import('./cli/commands/config/add.ts')).add,
    list: async () => (await import('./cli/commands/config/show.ts')).list,
    show: async () => (await import('./cli/commands/config/show.ts')).show,
    use: async () => (await import('./cli/commands/config/edit.ts')).use,
    set: async () => (await import('./cli/commands/config/edit.ts')).set,
    unset: async () => (await import('./cli/commands/config/edit.ts')).unset,
    journal: async () => (await import('./cli/commands/config/journal.ts')).journal,
    remove: async () => (await import('./cli/commands/config/edit.ts')).remove,
  }),
  branch('policy', policySpec, {
    show: async () => (await import('./cli/commands/policy.ts')).run,
    check: async () => (await import('./cli/commands/policy.ts')).check,
  }),
  branch('journal', journalSpec, {
    'accept-loss': async () => (await import('./cli/commands/journal.ts')).acceptLossOf,
    backup: async () => (await import('./cli/commands/journal.ts')).backup,
    close: async () => (await import('./cli/commands/journal.ts')).close,
    open: async () => (await import('./cli/commands/journal.ts')).open,
    migrate: async () => (await import('./cli/commands/journal.ts')).migrate,
  }),
  leaf('mcp', mcpSpec, async () => (await import('./cli/commands/mcp.ts')).run),
  leaf('sandbox', sandboxSpec, async () => (await import('./cli/commands/sandbox.ts')).run),
  leaf('doctor', doctorSpec, async () => (await import('./cli/commands/doctor.ts')).run),
  leaf('completion', completionSpec, async () =>
    (await import('./cli/commands/completion.ts')).runFor(commandTree),
  ),
  leaf('help', helpSpec, async () => (await import('./cli/commands/help.ts')).runFor(commandTree)),
];
