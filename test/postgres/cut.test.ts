// A connection that breaks, or a server that answers with an error: what was being done, what breaks, what is told, how
// often it was tried, and what the journal holds of it.
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { execute } from '../../src/once/engine/execute.ts';
import type { Outcome } from '../../src/once/engine/outcome.ts';
import { type Failure, retryOf } from '../../src/once/failures.ts';
import type { Journal, Transaction } from '../../src/once/journal/journal.ts';
import { Overtaken } from '../../src/once/journal/verbs.ts';
import { PgConnection } from '../../src/postgres/connection.ts';
import type { Patience } from '../../src/postgres/connections.ts';
import { ServerTroubleError } from '../../src/postgres/failures.ts';
import { migrate } from '../../src/postgres/handshake.ts';
import { elsewhere, isPassing, unreachable } from '../../src/postgres/serverErrors.ts';
import { connectionFailure } from '../../src/postgres/upkeep.ts';
import { fewChanged, fill } from '../once/journal/contract/questions.ts';
import { allOf, done, endWith, inHand, newEntry, newFolder, nowMs } from '../support/journals.ts';
import { type CuttableProxy, startCuttableProxy } from '../support/postgres/cuttableProxy.ts';
import type { Side } from '../support/postgres/messages.ts';
import type { How } from '../support/postgres/passage.ts';
import { sharedServer } from '../support/postgres/server.ts';
import { onShared, scriptedEngines, shortSleep } from '../support/postgres/sharedEngine.ts';
import {
  newSharedPlace,
  notedBy,
  onServer,
  openShared,
  type SharedPlace,
} from '../support/postgres/sharedJournal.ts';
import { silence, upForLong } from '../support/postgres/silence.ts';
import { endOf, once, paid, type ScriptedEngine, transfer } from '../support/scriptedEngine.ts';

const beforeSending = { beforeSending: true } as const;

/** What breaks: at a word of the client that has this, so many times. */
type Break = {
  readonly at: string;
  left: number;
  /** The answer in the place of the server's; or what becomes of the connection at the word, or at its answer. */
  readonly as: Buffer | How | 'cut after';
};

let proxy: CuttableProxy;
let breaks: Break | undefined;
let asked = 0;
let lines = 0;
/** What comes in the place of a connection’s answer, of which nothing passes but its end. */
const instead = new WeakMap<object, Buffer>();
let word: (from: Side, message: Buffer) => void = () => {};

function rewrite(from: Side, message: Buffer, of: object): Buffer {
  word(from, message);
  if (from === 'server') return answered(message, of);
  if (message.includes(names.connecting)) lines += 1;
  if (breaks === undefined || !message.includes(breaks.at)) return message;
  asked += 1;
  breaks.left -= 1;
  if (breaks.left < 0) return message;
  if (Buffer.isBuffer(breaks.as)) instead.set(of, breaks.as);
  else if (breaks.as === 'cut after') void proxy.when({ from: 'server', has: breaks.at }, 'cut');
  else proxy.now(breaks.as);
  return message;
}

function answered(message: Buffer, of: object): Buffer {
  const answer = instead.get(of);
  const isEnd = message[0] === 'Z'.charCodeAt(0);
  if (isEnd) instead.delete(of);
  else if (answer !== undefined) instead.set(of, Buffer.alloc(0));
  return isEnd ? message : (answer ?? message);
}

function messageOf(type: string, text: string): Buffer {
  const head = Buffer.alloc(5, type);
  head.writeInt32BE(text.length + 4, 1);
  return Buffer.concat([head, Buffer.from(text)]);
}

const error = (code: string, said = 'what it said', severity = 'ERROR'): Buffer =>
  messageOf('E', `S${severity}\0V${severity}\0C${code}\0M${said}\0\0`);
const fatal = (code: string, said?: string): Buffer => error(code, said, 'FATAL');
const rolledBack = messageOf('C', 'ROLLBACK\0');

beforeAll(async () => {
  proxy = await startCuttableProxy((await sharedServer()).port, rewrite);
});
afterAll(() => proxy.close());

const throughProxy = (place: SharedPlace): SharedPlace => ({ ...place, url: proxy.through(place.url) });
const patience = { sleep: shortSleep };

/** By which of its words each is known. */
const names = {
  ...{ connecting: 'client_encoding', reading: 'WHERE id = $1\0' },
  ...{ beginning: 'BEGIN ISOLATION', commit: 'COMMIT\0' },
};

type Doing = {
  readonly at: string;
  /** What comes of it, or the failure's code. */
  do(journal: () => Promise<Journal>, id: string): Promise<unknown>;
};

const claiming: Doing['do'] = async (journal, id) =>
  (await journal()).commit(
    async (tx) => (await tx.get(id)) ?? tx.begin(newEntry({ id }), 'h', nowMs),
    beforeSending,
  );
const concluding: Doing['do'] = async (journal, id) => {
  const own = await journal();
  await own.commit(async (tx) => {
    await tx.endAttempt(id, 1, endWith('accepted'), nowMs);
    await tx.conclude(id, 'accepted', undefined, nowMs);
  });
};

const doings = {
  connecting: { at: names.connecting, do: async (journal) => void (await journal()) },
  'connecting anew': {
    at: names.connecting,
    do: async (journal) => {
      const { reads } = await journal();
      proxy.now('cut');
      return reads.get('somebody');
    },
  },
  reading: { at: names.reading, do: async (journal) => (await journal()).reads.get('somebody') },
  'beginning a claim': { at: names.beginning, do: claiming },
  'asking in a claim': { at: names.reading, do: claiming },
  'committing a claim': { at: names.commit, do: claiming },
  'beginning to conclude': { at: names.beginning, do: concluding },
  'committing a conclusion': { at: names.commit, do: concluding },
  leaving: { at: names.commit, do: async (journal) => (await journal()).close() },
} satisfies Record<string, Doing>;

const always = Number.POSITIVE_INFINITY;

/** What was being done, what breaks and how often, what is told, how often it was tried, and the entry's state. */
type Row = readonly [keyof typeof doings, string, Break['as'], number, string, number, string?];

const rows: readonly Row[] = [
  // A server that is there, but takes nobody yet, is waited for; any other trouble of the first connection is told at once.
  ...['53300', '57P01', '57P02', '57P03', '57P05'].flatMap((code): Row[] => [
    ['connecting', code, fatal(code), 2, 'done', 3],
    ['connecting', code, fatal(code), always, 'journal-unreachable', 1],
  ]),
  ['connecting', 'the server closes', 'cut', 1, 'journal-unreachable', 1],
  ['connecting', 'the database was dropped', fatal('57P04'), 1, 'journal-unreachable', 1],
  ['connecting', 'a wrong password', fatal('28P01'), 1, 'journal-denied', 1],
  ['connecting', 'a host that is not let in', fatal('28000'), 1, 'journal-denied', 1],
  ['connecting', 'no such database', fatal('3D000'), 1, 'journal-denied', 1],
  [
    'connecting',
    'a pooler without a server',
    fatal('08P01', 'server conn crashed?'),
    1,
    'journal-unreachable',
    1,
  ],
  // Once there was a connection, a server that is away is waited for. Who is let in no more is not.
  ['connecting anew', 'the server closes', 'cut', 1, 'done', 2],
  ['connecting anew', 'too many connections', fatal('53300'), 2, 'done', 3],
  ['connecting anew', 'the server closes each time', 'cut', always, 'journal-unreachable', 1],
  ['connecting anew', 'a wrong password', fatal('28P01'), 1, 'journal-denied', 1],

  // What may pass is asked again: at once, five times; or, where it takes time, as long as the command waits.
  ['reading', 'the server closes', 'cut', 1, 'done', 2],
  ['reading', 'the server closes, and refuses', 'cut', always, 'journal-unreachable', 2],
  ['reading', 'the answer is lost', 'strand', 1, 'done', 2],
  ...['40001', '40P01', '25P02', '25P03'].map(
    (code): Row => ['reading', code, error(code), always, 'journal-unreachable', 5],
  ),
  ...['23505', 'ZJ001'].map((code): Row => ['reading', code, error(code), always, 'journal-damaged', 5]),
  ['reading', 'it has become a standby', error('25006'), always, 'journal-not-writable', 5],
  ...['53200', '53300', '57014', '57P01', '57P02', '57P03', '57P05'].map(
    (code): Row => ['reading', code, error(code), always, 'journal-unreachable', 2],
  ),
  ...['55P03', '25P04'].map((code): Row => ['reading', code, error(code), always, 'journal-busy', 2]),
  ['reading', 'a disk that is full', error('53100'), always, 'journal-not-writable', 1],
  ...['28000', '28P01', '3D000', '42501'].map(
    (code): Row => ['reading', code, error(code), always, 'journal-denied', 1],
  ),
  [
    'reading',
    'a pooler without a server',
    fatal('08P01', 'server conn crashed?'),
    always,
    'journal-unreachable',
    2,
  ],
  [
    'reading',
    'a pooler of statements',
    fatal('08P01', 'in statement pooling mode'),
    always,
    'journal-schema',
    1,
  ],
  ['reading', 'another process', error('22P02', `"${elsewhere}"`), always, 'journal-schema', 1],
  ['reading', 'a mistake of the driver', error('08P01'), always, '08P01', 1],
  ['reading', 'a mistake in the statement', error('42601', elsewhere), always, '42601', 1],

  ['beginning a claim', 'the server closes', 'cut', 1, 'done', 2, 'sending'],
  ['beginning a claim', 'it is closed each time', 'cut', always, 'journal-unreachable', 2],
  ['beginning a claim', 'a deadlock', error('40P01'), 4, 'done', 5, 'sending'],
  ['beginning a claim', 'a deadlock each time', error('40P01'), always, 'journal-unreachable', 5],
  ['beginning a claim', 'an administrator ends it', fatal('57P01'), 1, 'done', 2, 'sending'],
  ['beginning a claim', 'it has become a standby', error('25006'), 1, 'done', 2, 'sending'],
  ['beginning a claim', 'too few rights', error('42501'), 1, 'journal-denied', 1],
  ['beginning a claim', 'another process', error('22P02', `"${elsewhere}"`), 1, 'journal-schema', 1],
  ['beginning a claim', 'a mistake', error('42601'), 1, '42601', 1],

  ['asking in a claim', 'an administrator ends it', fatal('57P01'), 1, 'done', 2, 'sending'],
  ['asking in a claim', 'it is closed each time', 'cut', always, 'journal-unreachable', 2],
  ['asking in a claim', 'it waited too long', error('57014'), 1, 'done', 2, 'sending'],

  // Nobody knows whether it was made: it is not made again, and the next run finds it. Only the word ROLLBACK says no.
  ['committing a claim', 'it never came', 'cut', 1, 'journal-unreachable', 1],
  ['committing a claim', 'its answer is lost', 'cut after', 1, 'journal-unreachable', 1, 'sending'],
  ['committing a claim', 'it comes later', 'strand', 1, 'journal-unreachable', 1, 'sending'],
  ['committing a claim', 'silence', 'hold', 1, 'journal-unreachable', 1, 'sending'],
  ['committing a claim', 'an error', error('40001'), 1, 'journal-unreachable', 1, 'sending'],
  ['committing a claim', 'an administrator ends it', fatal('57P01'), 1, 'journal-unreachable', 1, 'sending'],
  ['committing a claim', 'ROLLBACK', rolledBack, 1, 'done', 2, 'sending'],
  ['committing a claim', 'ROLLBACK each time', rolledBack, always, 'journal-unreachable', 2, 'sending'],

  ['beginning to conclude', 'the server closes', 'cut', 1, 'done', 2, 'accepted'],
  ['beginning to conclude', 'an administrator ends it', fatal('57P01'), 1, 'done', 2, 'accepted'],
  ['committing a conclusion', 'it never came', 'cut', 1, 'journal-unreachable', 1, 'sending'],
  ['committing a conclusion', 'its answer is lost', 'cut after', 1, 'journal-unreachable', 1, 'accepted'],

  ['leaving', 'the server closes', 'cut', 1, 'done', 1, 'sending'],
  ['leaving', 'an error', error('57P01'), 1, 'done', 1, 'sending'],
];

let placing: Promise<SharedPlace> | undefined;

const codeOf = (thrown: unknown): string => String((thrown as Partial<Failure>).code);

test.for(rows)('%s: %s', async ([doing, _what, as, left, told, tried, state]) => {
  const { at, do: does } = doings[doing];
  placing ??= newSharedPlace();
  const place = { ...(await placing), dataFolder: newFolder() };
  const here = throughProxy(place);
  // Who waits is not kept; but an answer may come late where this machine is busy.
  const leastMs = as === 'hold' ? 1000 : 20_000;
  const short = left === always || as === 'hold' ? { maxWaitMs: 50, leastMs } : {};
  const open = () => openShared(here, { patience: { ...patience, ...short } });
  const { id } = newEntry();
  const journal = doing === 'connecting' ? undefined : await open();
  if (journal !== undefined && (does === concluding || doing === 'leaving'))
    await claiming(async () => journal, id);
  const noted = notedBy(here);
  asked = 0;
  breaks = { at, left, as };
  const end = await does(async () => journal ?? open(), id).then(() => 'done', codeOf);
  breaks = undefined;
  expect([end, asked]).toEqual([told, tried]);
  proxy.release();
  // What was not acknowledged is noted by nobody, and nothing of it leaves.
  if (does === claiming && end !== 'done')
    expect([notedBy(here), journal?.trouble()]).toEqual([noted, 'stale-claim']);
  await journal?.close();
  const { reads } = await openShared(place, { use: 'look' });
  await expect.poll(async () => (await reads.get(id))?.state).toBe(state);
});

/** Ends the sessions of all others on this journal's database that are in a transaction. */
function killOthers(place: SharedPlace): Promise<unknown> {
  return onServer(place, (client) =>
    client.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
      WHERE pid <> pg_backend_pid() AND datname = current_database() AND state LIKE 'idle in transaction%'`),
  );
}

describe('a commit', () => {
  const begin = (journal: Journal, entry = newEntry()) =>
    journal.commit((tx) => tx.begin(entry, 'h', nowMs), beforeSending);

  test('on a server that takes no changes any more is made on another connection', async () => {
    const journal = await openShared(throughProxy(await newSharedPlace()), { patience });
    lines = 0;
    breaks = { at: names.beginning, left: 1, as: error('25006') };
    expect(await begin(journal)).toMatchObject({ state: 'sending' });
    expect(lines).toBe(1);
  });

  test('by a server that says nothing more is waited for once, whatever is asked after it', async () => {
    const place = throughProxy(await newSharedPlace());
    const journal = await openShared(place, { patience: { ...patience, maxWaitMs: 0, leastMs: 500 } });
    proxy.now('hold');
    for (const ask of [() => begin(journal), () => begin(journal), () => journal.reads.get('somebody')])
      await expect(ask()).rejects.toMatchObject({ code: 'journal-unreachable' });
    proxy.release();
    // A slow machine needs more than one of so short waits to connect anew.
    const state = () => begin(journal).then((entry) => entry.state, codeOf);
    await expect.poll(state).toBe('sending');
  });

  test.each([
    ['an answer that was lost', 'lost', 'unreachable'],
    ['a standby that has none of it', 'unawaited', 'not-on-standby'],
    ['a server that is away', 'away', 'unreachable'],
  ])('of two is not made of each alone after %s', async (_what, is, kind) => {
    const place = await newSharedPlace();
    const journal = await openShared(throughProxy(place), { patience: { ...patience, maxWaitMs: 200 } });
    const runs = [0, 0];
    onTestFinished(() => void vi.restoreAllMocks());
    if (is === 'unawaited') vi.spyOn(PgConnection.prototype, 'warnings', 'get').mockReturnValue(['01000']);
    if (is === 'lost') void proxy.when({ from: 'server', has: 'COMMIT' }, 'cut');
    const work = (nth: number) => async (tx: Transaction) => {
      runs[nth] = (runs[nth] ?? 0) + 1;
      if (is === 'away' && nth === 1) {
        await tx.get('nobody');
        vi.spyOn(PgConnection, 'connect').mockRejectedValue(
          Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
        );
        await killOthers(place);
      }
      await tx.begin(newEntry(), 'h', nowMs);
    };
    const ends = await journal.commitTogether(
      [0, 1].map((nth) => ({ guards: beforeSending, work: work(nth) })),
    );
    const rejected = { status: 'rejected', reason: { kind } };
    expect([runs, ends]).toMatchObject([
      [1, 1],
      [rejected, rejected],
    ]);
  });

  test('that did not begin changes nothing, although what it asks is sent with it', async () => {
    const journal = inHand(await openShared(throughProxy(await newSharedPlace())));
    const id = await done(journal, 'rejected');
    word = (from, message) => {
      const at = from === 'client' ? message.indexOf(names.beginning) : -1;
      if (at < 0) return;
      message.write('BOGUS', at);
      word = () => {};
    };
    await expect(journal.markReported(id, nowMs)).rejects.toMatchObject({ code: '42601' });
    expect(await journal.get(id)).toMatchObject({ reportedAtMs: undefined });
  });

  test('is made in no journal that was put in the place of the one that was open', async () => {
    const place = await newSharedPlace();
    const journal = await openShared(throughProxy(place), { patience });
    await onServer(place, async (client) => {
      await client.query(`DROP SCHEMA ${place.schema} CASCADE`);
      await migrate(client, place.schema);
    });
    proxy.now('cut');
    await expect(begin(journal)).rejects.toMatchObject({ kind: 'lost', fields: { loss: { isGone: true } } });
  });

  test('is taken for made nowhere where the server refuses a change, whichever it is', async () => {
    const place = await newSharedPlace();
    const journal = inHand(await openShared(place));
    await fill(journal, 60);
    await onServer(place, (client) =>
      client.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
          AS $$ BEGIN RAISE EXCEPTION 'not now' USING ERRCODE = 'ZJ001'; END $$;
        DO $$ DECLARE one text; BEGIN
          FOR one IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'owners' LOOP
            EXECUTE format('CREATE TRIGGER a BEFORE INSERT OR UPDATE OR DELETE ON %I FOR EACH STATEMENT
              EXECUTE FUNCTION refuse()', one);
          END LOOP; END $$`),
    );
    // Nothing is left of who has died there.
    const changing = fewChanged.filter(([what]) => what !== 'record a death');
    for (const [what, work] of changing)
      await expect(work(journal), what).rejects.toMatchObject({ kind: 'rules-refused' });
  });
});

describe('who leaves', () => {
  type Signals = Pick<Patience, 'interrupted' | 'leaving'>;
  const conclude = (journal: Journal, id: string): Promise<unknown> =>
    journal.commit((tx) => tx.endAttempt(id, 1, endWith('accepted'), 2));

  test.each([
    ['a server does not answer', 'hold', 'journal-unreachable'],
    ['a connection is made anew', 'cut', 'journal-unreachable'],
    ['the server answers', undefined, 'done'],
  ] as const)('twice while %s waits for nothing more', async (_what, how, told) => {
    const [first, second] = [new AbortController(), new AbortController()];
    const signals: Signals = { interrupted: first.signal, leaving: second.signal };
    const journal = inHand(await openShared(throughProxy(await newSharedPlace()), { patience: signals }));
    const { id } = await journal.begin(newEntry(), 'h', nowMs);
    const broken =
      how &&
      proxy
        .when({ from: 'client', has: 'COMMIT' }, how)
        .then(() => void (how === 'cut' && proxy.now('hold')));
    if (how === undefined) for (const signal of [first, second]) signal.abort();
    const concluding = conclude(journal, id).then(() => 'done', codeOf);
    await broken;
    first.abort();
    second.abort();
    expect(await concluding).toBe(told);
    proxy.release();
    const [attempt] = how === undefined ? await journal.attemptsOf(id) : [];
    expect(attempt?.verdict).toBe(how === undefined ? 'accepted' : undefined);
  });

  test('while the first connection is made waits for no server that does not answer', async () => {
    const here = throughProxy(await newSharedPlace());
    const first = new AbortController();
    proxy.now('hold');
    const opening = openShared(here, { patience: { interrupted: first.signal } });
    setImmediate(() => first.abort());
    await expect(opening).rejects.toMatchObject({ code: 'interrupted' });
    proxy.release();
  });
});

describe('a whole command', () => {
  const newEngine = scriptedEngines();
  const strandedMs = 60;

  /** Each pays another amount: equal payments would stand in each other’s way. */
  const payment = (name: string) => transfer({ amount: `${2 + Number(name.split(' ')[1])}` }, once(name));

  async function send(name: string, journal: Journal, scripted: ScriptedEngine): Promise<Outcome> {
    scripted.script.splice(0, scripted.script.length, paid, paid, paid);
    return execute(payment(name), scripted.engine({ ...onShared(journal), limits: { maxWaitMs: 500 } }));
  }

  /** Connects, sends and leaves, and breaks at the word at this place; both sides counted. */
  async function brokenAt(at: number, as: How, place: SharedPlace, scripted: ScriptedEngine) {
    let words = 0;
    word = (from, message) => {
      if (!isQuestionOrAnswer(from, message)) return;
      words += 1;
      if (words !== at) return;
      proxy.now(as);
      if (as === 'strand') setTimeout(() => proxy.release(), strandedMs);
    };
    try {
      const journal = await openShared(throughProxy(place), { patience });
      try {
        return { words: () => words, end: endOf(await send(`${as} ${at}`, journal, scripted)) };
      } finally {
        await journal.close();
      }
    } catch (thrown) {
      return { words: () => words, end: codeOf(thrown) };
    } finally {
      word = () => {};
    }
  }

  /** Breaks each of these, one command for each; then another machine, told the same, must find what was done. */
  async function breakEach(as: How, places: (words: number) => readonly number[]): Promise<string[]> {
    const place = await newSharedPlace();
    await upForLong(place.url, place.schema);
    // The second one is as all later ones: the first has nothing to look for that was noted.
    await brokenAt(0, as, place, newEngine());
    const broken = places((await brokenAt(-1, as, place, newEngine())).words());
    const other = await openShared({ ...place, dataFolder: newFolder() }, { patience });
    const ends: string[] = [];
    for (const at of broken) {
      const scripted = newEngine();
      const { end } = await brokenAt(at, as, place, scripted);
      ends.push(end);
      // Nothing was sent, or what came back could not be recorded.
      expect([at, scripted.sent.length]).toEqual([at, end === 'journal-unreachable' ? 0 : 1]);
      if (end !== 'accepted') await silence(place.url, undefined, place.schema);
      const again = endOf(await send(`${as} ${at}`, other, scripted));
      // Nobody said whether what came back is on record.
      const found = end === 'not-recorded' ? /accepted$/u : /^accepted$/u;
      expect([at, again]).toEqual([
        at,
        end === 'accepted' ? 'replayed accepted' : expect.stringMatching(found),
      ]);
      expect([at, new Set(scripted.sent.map(({ key }) => key)).size]).toEqual([at, 1]);
    }
    const entries = await allOf(other.reads.select({ limit: 1000 }));
    expect(entries.map(({ state }) => state)).toEqual(Array(broken.length + 2).fill('accepted'));
    return ends;
  }

  const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

  test('that is cut at any of its words never makes two of one, nor loses one', async () => {
    const ends = await breakEach('cut', upTo);
    expect(ends.length).toBeGreaterThan(30);
    expect(new Set(ends)).toEqual(new Set(['journal-unreachable', 'accepted', 'not-recorded']));
  });

  test('that is cut on its side alone, while its words reach the server later, does the same', async () => {
    const hello = 14;
    // Each costs a wait, so that only half of them are played: which half, the seed says.
    const odd = Number(process.env.BOTCTL_SEED ?? 0) % 2;
    const ends = await breakEach('strand', (words) =>
      upTo(words)
        .slice(hello)
        .filter((at) => at % 2 === odd),
    );
    expect(ends).toContain('accepted');
  });

  /** The end of what is asked, or of what is answered; and the first word of all, which has no type. */
  function isQuestionOrAnswer(from: Side, message: Buffer): boolean {
    const type = String.fromCharCode(message[0] ?? 0);
    return from === 'client' ? ['\0', 'Q', 'S'].includes(type) : type === 'Z';
  }
});

describe('what no server says here', () => {
  const at = 'postgres://b%C3%B6t@db.example.com:5432/ledger';
  const said = (code: string, text = 'what it said'): Error => Object.assign(new Error(text), { code });
  const silent = new ServerTroubleError({ is: 'silent' });

  test.each<[string, unknown, string, object]>([
    [
      'its words',
      said('ECONNRESET'),
      'journal-unreachable',
      { trouble: { is: 'said', text: 'what it said' } },
    ],
    [
      'its code',
      said('EAI_AGAIN', ''),
      'journal-unreachable',
      { trouble: { is: 'said', text: 'EAI_AGAIN' } },
    ],
    ['nothing', new Error(''), 'journal-unreachable', { trouble: { is: 'no-reason' } }],
    ['a word', 'a word', 'journal-unreachable', { trouble: { is: 'said', text: 'a word' } }],
    ['its kind', silent, 'journal-unreachable', { trouble: { is: 'silent' } }],
    [
      'the first of several',
      new AggregateError([said('A'), new Error('second')]),
      'journal-unreachable',
      { trouble: { is: 'said', text: 'what it said' } },
    ],
    ['its role', said('28000'), 'journal-denied', { denial: 'user', role: 'böt' }],
    ['no TLS', new Error('The server does not support SSL connections'), 'journal-unusable', {}],
    ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'].map(
      (code): [string, unknown, string, object] => [code, said(code), 'journal-unusable', {}],
    ),
  ])('is told with %s', (_what, thrown, code, fields) => {
    const failure = unreachable(thrown, at) as Failure;
    expect(failure).toMatchObject({ code, fields: { place: at, ...fields } });
    expect(retryOf(failure.code)).toBe(code === 'journal-unreachable' ? 'same-command' : 'after-fix');
  });

  test('a commit that the server undid on a whole connection is a server that cannot be reached', () => {
    const undone = new ServerTroubleError({ is: 'commit-undone' });
    expect(connectionFailure({ isBroken: false } as PgConnection, at, undone)).toMatchObject({
      kind: 'unreachable',
      fields: { place: at, trouble: { is: 'commit-undone' } },
    });
  });

  test('whoever was overtaken tries again', () => {
    expect([isPassing(new Overtaken()), isPassing(said('XX000'))]).toEqual([true, false]);
  });
});
