import { sharedFailure } from './facts.ts';
import { codeOf } from './faults.ts';
import { askJournal, type ServerFacts } from './hello.ts';
import type { Line } from './line.ts';
import { inSchema } from './migrations.ts';
import { refuseSchema } from './schemaCheck.ts';

type Asked = {
  readonly line: Line;
  readonly schema: string;
  readonly place: string;
  readonly server: ServerFacts;
};

/** The settings that let a server forget what it has acknowledged, and are off. */
export function settingsOff({ settings }: ServerFacts): ('fsync' | 'full_page_writes')[] {
  return (['fsync', 'full_page_writes'] as const).filter((name) => settings[name] !== 'on');
}

export async function isDurabilityAccepted({ line, schema, place, server }: Asked): Promise<boolean> {
  if (server.isStandby) throw sharedFailure('unchanged-on-standby', { place });
  await refuseSchema(line, schema, place);
  return (await askJournal(line, schema)).acceptedDurability;
}

/** From now on the journal is used although its server may lose what it has acknowledged. */
export async function acceptDurability({ line, schema, place, server }: Asked, who: string): Promise<void> {
  try {
    await line.begin();
    await line.query(inSchema(schema, insertAccepted), [
      JSON.stringify({ who, at: server.nowMs, off: settingsOff(server) }),
    ]);
    await line.query('COMMIT');
  } catch (error) {
    throw codeOf(error) === '42501' ? sharedFailure('may-not-accept', { place }, error) : error;
  }
}

const insertAccepted = `INSERT INTO @schema.meta (name, value) VALUES ('durability', convert_to($1, 'UTF8'))
  ON CONFLICT (name) DO NOTHING`;
