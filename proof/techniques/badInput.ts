import { Home } from '../../test/support/home.ts';
import { runMain } from '../../test/support/inProcess.ts';
import type { Arena, Technique } from '../arena.ts';
import { playAtPace } from '../pace.ts';
import { type Ran, run, type Start } from '../run.ts';
import { lateness, misbehaviour, shortened } from '../told.ts';
import { type Generated, type Kind, kinds, parsed } from './badInput/kinds.ts';
import { type Stub, startStub } from './badInput/stub.ts';

const limitMs = 20_000;
/** The number of cases on one machine. Then its journal is discarded, before it grows slow. */
const casesPerHome = 250;
/** One case in this many also runs in the built program. */
const builtEvery = 60;

type Bench = { readonly arena: Arena; readonly stub: Stub };

/** The program's own main in this process: the same code without a process start. Waiting takes no time. */
async function runInside(argv: readonly string[], { env, stdin }: Start): Promise<Ran> {
  const startedMs = performance.now();
  const interrupted = AbortSignal.timeout(limitMs);
  const ran = await runMain(argv, { env, stdin, interrupted });
  return { ...ran, argv, signal: null, hung: interrupted.aborted, tookMs: performance.now() - startedMs };
}

async function playOne(
  one: Generated,
  where: string,
  isBuilt: boolean,
  home: Home,
  bench: Bench,
): Promise<void> {
  const { stub, arena } = bench;
  const { argv, stdin, config } = one;
  if (config !== undefined) home.writeConfig(config.toString('latin1'));
  stub.answer(one.reply);
  stub.taken();
  const env = { ...home.env, BOTCTL_TOKEN: 'bad-input-token-0123456789', BOTCTL_BASE_URL: stub.url };
  const start = { env, stdin, limitMs };
  const ran = isBuilt ? await run(arena.programs.plain, argv, start) : await runInside(argv, start);
  const sent = stub.taken();
  const what = `${where}: botctl ${argv.join(' ').slice(0, 200)}`;
  for (const wrong of [...misbehaviour(ran), ...unrequested(one, ran, sent)])
    arena.tally.find('wrongly reported', what, wrong);
  for (const late of lateness(ran)) arena.tally.find('wrongly reported', what, late, true);
  const done = ran.code === 0 ? sent.length : 0;
  arena.tally.count(done, done);
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
    const fields = parsed(body) as Record<string, unknown> | undefined;
    const { idempotency_key: key = '' } = fields ?? {};
    if (fields === undefined) found.push(`what left is no JSON: ${body}`);
    else if (typeof key !== 'string' || key === '') found.push('a request left without a key');
    else if (one.isRequested !== undefined && !one.isRequested(fields))
      found.push(`what left is not what was given: ${body}`);
  }
  if (one.reply !== undefined) found.push(...misread(one.reply, ran));
  return found;
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

async function playKind({ name, count, make }: Kind, bench: Bench): Promise<void> {
  const { dice, pace, share, tally } = bench.arena;
  const most = Math.max(12, Math.ceil(count * share));
  let home = new Home();
  for (let index = 0; index < most && !tally.isEnough; index += 1) {
    if (index % casesPerHome === 0) {
      home.remove();
      home = new Home();
    }
    const one = make(dice.for(`${name}/${index}`));
    // No process can be given a word with a zero byte in it.
    const isBuilt = index % builtEvery === builtEvery - 1 && !one.argv.some((word) => word.includes('\0'));
    await playAtPace(pace, tally, (own) =>
      playOne(one, `${name} ${index}`, isBuilt, home, { ...bench, arena: { ...bench.arena, tally: own } }),
    );
  }
  home.remove();
}

export const badInput: Technique = {
  name: 'input',
  title: '6. Bad input',
  play: async (arena) => {
    const stub = await startStub();
    try {
      for (const kind of kinds) await playKind(kind, { arena, stub });
    } finally {
      await stub.close();
    }
  },
};
