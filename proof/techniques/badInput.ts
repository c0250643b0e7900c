import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Home } from '../../testing/home.ts';
import { journalOf } from '../look.ts';
import { playAtPace } from '../pace.ts';
import { type Ran, run } from '../run.ts';
import type { Tally } from '../tally.ts';
import { lateness, misbehaviour, shortened } from '../told.ts';
import { runInside } from './badInput/inside.ts';
import { type Generated, hello, type Kind } from './badInput/kind.ts';
import { kinds } from './badInput/kinds.ts';
import { plainYes, type Stub, startStub } from './badInput/stub.ts';
import type { Arena, Technique } from './technique.ts';

const token = 'bad-input-token-0123456789';
const limitMs = 20_000;
/** The number of cases on one machine. Then its journal is discarded, before it grows slow. */
const casesPerHome = 250;
/** One case in this many also runs in the built program. */
const builtEvery = 60;

type Bench = { readonly stub: Stub; readonly tally: Tally; readonly arena: Arena; readonly used: string };

/** A machine for the next cases. Damage is done to the journal of a machine in use. */
class Machines {
  #home = new Home();
  #cases = 0;

  next(): Home {
    this.#cases += 1;
    if (this.#cases % casesPerHome === 0) {
      this.#home.remove();
      this.#home = new Home();
    }
    return this.#home;
  }

  /** What is damaged is nobody else's. */
  discard(): void {
    this.#cases = casesPerHome - 1;
  }

  remove(): void {
    this.#home.remove();
  }
}

function prepare(one: Generated, home: Home, { used }: Bench): void {
  if (one.config !== undefined) home.writeConfig(one.config.toString('latin1'));
  if (one.damage === undefined) return;
  mkdirSync(dirname(journalOf(home)), { recursive: true, mode: 0o700 });
  writeFileSync(journalOf(home), one.damage(readFileSync(used)), { mode: 0o600 });
}

async function playOne(
  one: Generated,
  where: string,
  isBuilt: boolean,
  home: Home,
  bench: Bench,
): Promise<void> {
  const { stub, tally, arena } = bench;
  prepare(one, home, bench);
  stub.answer(one.reply ?? plainYes);
  stub.taken();
  const env = { ...home.env, BOTCTL_TOKEN: token, BOTCTL_BASE_URL: stub.url };
  const start = { env, limitMs, ...(one.stdin === undefined ? {} : { stdin: one.stdin }) };
  const ran = isBuilt
    ? await run(arena.programs.plain.bin, one.argv, start)
    : await runInside({ argv: one.argv, env, stdin: one.stdin, limitMs });
  const sent = stub.taken();
  const what = `${where}: botctl ${one.argv.join(' ').slice(0, 200)}`;
  const isHurt = one.damage !== undefined;
  for (const wrong of [...misbehaviour(ran, isHurt), ...unrequested(one, ran, sent)])
    tally.find('wrongly reported', what, wrong);
  for (const late of lateness(ran, isHurt)) tally.find('wrongly reported', what, late, true);
  const done = ran.code === 0 ? sent.length : 0;
  tally.count(done, done);
}

/** Requests that were sent without being asked for, or that were reported wrongly. */
function unrequested(one: Generated, ran: Ran, sent: readonly string[]): string[] {
  const found: string[] = [];
  if (sent.length > one.mostRequests) found.push(`${sent.length} requests left: ${shortened(ran)}`);
  // What was left out of a batch on request is what exit 2 speaks of; the rest of it was sent.
  const isPartly = one.argv.includes('--skip-invalid');
  if (ran.code === 2 && sent.length > 0 && one.reply === undefined && !isPartly)
    found.push(`refused, and yet a request left: ${shortened(ran)}`);
  for (const body of sent) {
    const fields = fieldsOf(body);
    if (fields === undefined) {
      found.push(`what left is no JSON: ${body}`);
      continue;
    }
    if (typeof fields.idempotency_key !== 'string' || fields.idempotency_key === '')
      found.push('a request left without a key');
    if (one.isRequested !== undefined && !one.isRequested(fields))
      found.push(`what left is not what was given: ${body}`);
  }
  if (one.reply !== undefined) found.push(...misread(one.reply, ran));
  return found;
}

function fieldsOf(body: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(body) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** Only a reply that says so is a success, and no success may be called a failure, whatever the reply looks like. */
function misread(reply: Buffer, ran: Ran): string[] {
  const status = /^HTTP\/1\.[01] (\d{3})/u.exec(reply.toString('latin1'))?.[1];
  const isYes = status?.startsWith('2') === true;
  if (ran.code === 0 && !isYes && status !== '409' && !reply.includes('HTTP/1.1 2'))
    return [`taken for a success: ${JSON.stringify(reply.toString('latin1').slice(0, 300))}`];
  if (isYes && ran.code !== null && ![0, 9, 10].includes(ran.code))
    return [`a success taken for a failure: ${shortened(ran)}`];
  return [];
}

async function playKind(kind: Kind, share: number, bench: Bench): Promise<void> {
  const { arena, tally } = bench;
  const count = Math.max(12, Math.ceil(kind.count * share));
  const machines = new Machines();
  for (let index = 0; index < count && !tally.isEnough; index += 1) {
    const one = kind.make(arena.dice.for(`${kind.name}/${index}`));
    const home = machines.next();
    // No process can be given a word with a zero byte in it.
    const isBuilt = index % builtEvery === builtEvery - 1 && !one.argv.some((word) => word.includes('\0'));
    await playAtPace(arena.pace, tally, (own) =>
      playOne(one, `${kind.name} ${index}`, isBuilt, home, { ...bench, tally: own }),
    );
    if (one.damage !== undefined) machines.discard();
  }
  machines.remove();
}

/** A journal with intents in every state. */
async function usedJournal(stub: Stub): Promise<{ file: string; remove(): void }> {
  const home = new Home();
  const env = { ...home.env, BOTCTL_TOKEN: token, BOTCTL_BASE_URL: stub.url };
  const replies = [
    plainYes,
    Buffer.from('HTTP/1.1 500 X\r\ncontent-length: 0\r\n\r\n'),
    Buffer.from('HTTP/1.1 400 X\r\ncontent-length: 0\r\n\r\n'),
  ];
  for (const [index, reply] of [...replies, ...replies].entries()) {
    stub.answer(reply);
    const name = index === 0 ? 'known' : `used-${index}`;
    const argv = hello(name, '--max-wait', '0s');
    await runInside({ argv, env, stdin: undefined, limitMs });
  }
  const file = `${home.path}/journal-whole.db`;
  const { DatabaseSync } = await import('@photostructure/sqlite');
  const database = new DatabaseSync(journalOf(home));
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  if (existsSync(journalOf(home))) copyFileSync(journalOf(home), file);
  return { file, remove: () => home.remove() };
}

async function play(arena: Arena, tally: Tally): Promise<void> {
  const stub = await startStub();
  const used = await usedJournal(stub);
  try {
    for (const kind of kinds) await playKind(kind, arena.share, { stub, tally, arena, used: used.file });
  } finally {
    used.remove();
    await stub.close();
  }
}

export const badInput: Technique = { name: 'input', title: '6. Bad input', play };
