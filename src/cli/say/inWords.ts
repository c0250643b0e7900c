import type { BatchFacts } from '../../batch/facts.ts';
import type { ChainFacts } from '../../chain/cluster.ts';
import type { EngineFacts } from '../../once/engine/facts.ts';
import { asFailure, type Failure, type MachineFacts } from '../../once/failures.ts';
import type { InputFacts } from '../../once/input.ts';
import type { IntentFacts } from '../../once/intent/facts.ts';
import type { JournalFacts } from '../../once/journal/facts.ts';
import type { WireFacts } from '../../once/wire/connecting.ts';
import type { RefusalFacts } from '../../policy/policy.ts';
import type { PolicyFacts } from '../../policy/readPolicy.ts';
import type { SharedFacts } from '../../postgres/facts.ts';
import { type Sentence, type Table, Told } from './told.ts';

type Rooms = {
  readonly machine: MachineFacts;
  readonly input: InputFacts;
  readonly intent: IntentFacts;
  readonly policy: PolicyFacts & RefusalFacts;
  readonly wire: WireFacts;
  readonly chain: ChainFacts;
  readonly engine: EngineFacts;
  readonly batch: BatchFacts;
  readonly shared: SharedFacts;
  readonly journal: JournalFacts;
};

/** The sentences of a room are loaded when the room fails. */
const tables: { readonly [R in keyof Rooms]: () => Promise<Table<Rooms[R]>> } = {
  machine: async () => (await import('./machine.ts')).machineTable,
  input: async () => (await import('./machine.ts')).inputTable,
  intent: async () => (await import('./intent.ts')).intentTable,
  policy: async () => (await import('./policy.ts')).policyTable,
  wire: async () => (await import('./machine.ts')).wireTable,
  chain: async () => (await import('./open.ts')).chainTable,
  engine: async () => (await import('./engine.ts')).engineTable,
  batch: async () => (await import('./batch.ts')).batchTable,
  shared: async () => (await import('./shared.ts')).sharedTable,
  journal: async () => (await import('./journal.ts')).journalTable,
};

/** Puts anything that was thrown into words. */
export async function inWords(thrown: unknown): Promise<Told> {
  const failure = asFailure(thrown);
  if (failure instanceof Told) return failure;
  const { message, ...details } = await sentenceOf(failure);
  return new Told(failure.code, message, { ...details, cause: failure.cause ?? failure });
}

/** The same as it stands in the table. */
export async function sentenceOf(failure: Failure): Promise<Sentence> {
  try {
    const table = await (tables as Readonly<Record<string, () => Promise<Table<Record<string, unknown>>>>>)[
      failure.room
    ]?.();
    return table?.[failure.kind]?.(failure.fields) ?? plain(failure);
  } catch {
    // The table cannot load: a full disk, or an upgrade in mid-batch. The failure must be reported all the same.
    return plain(failure);
  }
}

function plain({ room, kind, fields }: Failure): Sentence {
  return { message: `${room}: ${kind} ${JSON.stringify(fields, withBigints)}` };
}

function withBigints(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
