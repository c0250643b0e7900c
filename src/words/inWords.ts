import type { BatchFacts } from '../batch/facts.ts';
import type { EngineFacts } from '../engine/facts.ts';
import { asFailure, type Failure, type MachineFacts } from '../errors.ts';
import type { InputFacts } from '../input/facts.ts';
import type { IntentFacts } from '../intent/facts.ts';
import type { JournalFacts } from '../journal/facts.ts';
import type { SharedFacts } from '../journal/postgres/facts.ts';
import type { PolicyFacts } from '../policy/facts.ts';
import type { WireFacts } from '../wire/facts.ts';
import { type Sentence, type Table, Told } from './told.ts';

type Rooms = {
  readonly machine: MachineFacts;
  readonly input: InputFacts;
  readonly intent: IntentFacts;
  readonly policy: PolicyFacts;
  readonly wire: WireFacts;
  readonly engine: EngineFacts;
  readonly batch: BatchFacts;
  readonly shared: SharedFacts;
  readonly journal: JournalFacts;
};

/** A room's sentences are loaded when it fails. */
const tables: { readonly [R in keyof Rooms]: () => Promise<Table<Rooms[R]>> } = {
  machine: async () => (await import('./machine.ts')).machineTable,
  input: async () => (await import('./input.ts')).inputTable,
  intent: async () => (await import('./intentTable.ts')).intentTable,
  policy: async () => (await import('./policyTable.ts')).policyTable,
  wire: async () => (await import('./wire.ts')).wireTable,
  engine: async () => (await import('./engineTable.ts')).engineTable,
  batch: async () => (await import('./batchTable.ts')).batchTable,
  shared: async () => (await import('./sharedTable.ts')).sharedTable,
  journal: async () => (await import('./journalTable.ts')).journalTable,
};

/** Anything thrown, in words. */
export async function inWords(thrown: unknown): Promise<Told> {
  const failure = asFailure(thrown);
  if (failure instanceof Told) return failure;
  const { message, ...details } = await sentenceOf(failure);
  return new Told(failure.code, message, { ...details, cause: failure.cause ?? failure });
}

async function sentenceOf(failure: Failure): Promise<Sentence> {
  try {
    const table = await (tables as Readonly<Record<string, () => Promise<Table<Record<string, unknown>>>>>)[
      failure.room
    ]?.();
    return table?.[failure.kind]?.(failure.fields) ?? plain(failure);
  } catch {
    // A full disk, or an upgrade in the midst of a batch: that it failed must be told all the same.
    return plain(failure);
  }
}

function plain({ room, kind, fields }: Failure): Sentence {
  return { message: `${room}: ${kind} ${JSON.stringify(fields, withBigints)}` };
}

function withBigints(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
