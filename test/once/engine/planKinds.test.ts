import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Sheet, type Standing } from '../../../src/batch/sheet.ts';
import { survey } from '../../../src/batch/survey.ts';
import { dryRun } from '../../../src/cli/commands/dryRun.ts';
import { consentFor, openBeforeSending } from '../../../src/cli/commands/once.ts';
import { suggestAnother } from '../../../src/cli/commands/telling.ts';
import { type Context, ParsedArgs } from '../../../src/cli/parse/command.ts';
import { dryRunWords } from '../../../src/cli/say/plans.ts';
import { type Display, plain, type View } from '../../../src/cli/show/display.ts';
import type { AtTerminal } from '../../../src/machine/process.ts';
import type { Consent } from '../../../src/once/engine/beforeClaim.ts';
import { claim } from '../../../src/once/engine/claim.ts';
import type { EngineContext } from '../../../src/once/engine/context.ts';
import { execute } from '../../../src/once/engine/execute.ts';
import { identify, makePlan, newIntent } from '../../../src/once/engine/plan.ts';
import {
  exitOfPlan,
  meaningOf,
  type PlanKind,
  type PlanMeaning,
  planKinds,
} from '../../../src/once/engine/planKinds.ts';
import type { BaseUrl } from '../../../src/once/intent/baseUrl.ts';
import type { Naming, Order } from '../../../src/once/intent/naming.ts';
import { explained } from '../../../testing/explained.ts';
import {
  lost,
  message,
  noRetries,
  once,
  paid,
  posted,
  reply,
  ScriptedEngine,
  transfer,
  unsent,
} from '../../../testing/scriptedEngine.ts';
import { clockSlack, keyAges, windows } from './design.ts';

let scripted: ScriptedEngine;
beforeEach(() => {
  scripted = new ScriptedEngine();
});
afterEach(() => scripted.remove());

const me = { bot: 'env', token: 'token-1' };
const mine = { ...me, ...noRetries };
const otherUrl = { ...me, spelledUrl: 'https://bots.example/bots' as BaseUrl };
const unnamed: Naming = { by: 'nothing' };
const rowSeven: Naming = { by: 'row', name: 'b', row: 'id:7', id: '7' };

type Case = {
  /** How it is named here; rows of a batch are named by their ids. */
  readonly naming: Naming;
  readonly inBatches: boolean;
  /** What was done before; the order that then comes to this kind of plan. */
  readonly arrange: (naming: Naming) => Promise<Order>;
};

const cases: Readonly<Record<PlanKind, Case>> = {
  new: { naming: unnamed, inBatches: true, arrange: async (naming) => transfer({}, naming) },
  'new-after-done': {
    naming: unnamed,
    inBatches: false,
    arrange: async () => {
      await scripted.runAndReport(transfer(), paid, me);
      scripted.clock.advance(windows.transfer + 1);
      return transfer();
    },
  },
  'leave-behind': {
    naming: unnamed,
    inBatches: false,
    arrange: async () => {
      await scripted.run(message(), [lost], mine);
      scripted.clock.advance(keyAges.message + 1);
      return message();
    },
  },
  again: {
    naming: once('n'),
    inBatches: true,
    arrange: async (naming) => {
      await scripted.run(transfer({}, naming), [reply(402)], me);
      return transfer({}, naming);
    },
  },
  resume: {
    naming: unnamed,
    inBatches: true,
    arrange: async (naming) => {
      await scripted.run(transfer({}, naming), [lost], mine);
      return transfer({}, naming);
    },
  },
  replay: {
    naming: unnamed,
    inBatches: true,
    arrange: async (naming) => {
      await scripted.runAndReport(transfer({}, naming), paid, me);
      return transfer({}, naming);
    },
  },
  wait: {
    naming: unnamed,
    inBatches: true,
    arrange: async (naming) => {
      await scripted.beginSending(transfer({}, naming), me);
      return transfer({}, naming);
    },
  },
  'needs-decision': {
    naming: unnamed,
    inBatches: true,
    arrange: async (naming) => {
      await scripted.run(transfer({}, naming), [lost], mine);
      scripted.clock.advance(keyAges.transfer + 1);
      await scripted.run(transfer({}, naming), [], me);
      return transfer({}, naming);
    },
  },
  declined: {
    naming: unnamed,
    inBatches: true,
    arrange: async (naming) => {
      await scripted.run(transfer({}, naming), [], { ...me, proposes: true });
      const { id, fingerprint } = await scripted.only();
      await scripted.look((journal) => journal.decide(id, { ...scripted.word('declined'), fingerprint }));
      return transfer({}, naming);
    },
  },
  'reported-ahead': {
    naming: unnamed,
    inBatches: false,
    arrange: async () => {
      await scripted.runAndReport(transfer(), paid, me);
      scripted.clock.nowMs -= clockSlack + 1;
      return transfer();
    },
  },
  'other-body': {
    naming: once('n'),
    inBatches: true,
    arrange: async (naming) => {
      await scripted.runAndReport(transfer({ amount: '2' }, naming), paid, me);
      return transfer({}, naming);
    },
  },
  'other-bot': {
    naming: once('n'),
    inBatches: true,
    arrange: async (naming) => {
      await scripted.runAndReport(transfer({}, naming), paid, { ...me, bot: 'other' });
      return transfer({}, naming);
    },
  },
  'other-url': {
    naming: once('n'),
    inBatches: true,
    arrange: async (naming) => {
      await scripted.runAndReport(transfer({}, naming), paid, otherUrl);
      return transfer({}, naming);
    },
  },
  'unknown-at-other-url': {
    naming: once('n'),
    inBatches: true,
    arrange: async (naming) => {
      await scripted.run(transfer({}, naming), [lost], { ...otherUrl, ...noRetries });
      return transfer({}, naming);
    },
  },
  'held-at-other-url': {
    naming: once('n'),
    inBatches: true,
    arrange: async (naming) => {
      await scripted.run(transfer({}, naming), [reply(200, 'OK')], { ...otherUrl, ...noRetries });
      return transfer({}, naming);
    },
  },
  'wait-for-twin': {
    naming: unnamed,
    inBatches: true,
    arrange: async (naming) => {
      await scripted.beginSending(transfer({ memo: 'twin' }), me);
      return transfer({}, naming);
    },
  },
  'unfinished-twin': {
    naming: unnamed,
    inBatches: true,
    arrange: async (naming) => {
      await scripted.run(transfer({ memo: 'twin' }), [lost], mine);
      return transfer({}, naming);
    },
  },
  'recently-done': {
    naming: unnamed,
    inBatches: false,
    arrange: async () => {
      await scripted.run(transfer({ memo: 'twin' }), [paid], me);
      return transfer();
    },
  },
};

/** The same by hand, from the design: what is read from the record alone could be wrong in both. */
type Expected = {
  readonly sends: PlanMeaning['sends'];
  readonly asked?: string;
  readonly reminded?: string;
  readonly guarded?: boolean;
  readonly suggestsName?: boolean;
  readonly standing?: Standing;
};

const isNew = { sends: 'a-new-intent', asked: 'Send it?', guarded: true, standing: 'new' } as const;

const expected: Readonly<Record<PlanKind, Expected>> = {
  new: isNew,
  'new-after-done': { ...isNew, reminded: 'The same transfer was last accepted' },
  // Only messages are left behind.
  'leave-behind': { sends: 'a-new-intent' },
  again: { ...isNew, sends: 'what-was-found' },
  resume: {
    sends: 'what-was-found',
    asked: 'Send it?',
    reminded: 'It may already',
    standing: 'unfinished',
  },
  replay: {
    sends: 'nothing',
    asked: 'Do it again?',
    reminded: 'The same transfer was accepted',
    suggestsName: true,
    standing: 'done',
  },
  wait: { sends: 'nothing', standing: 'elsewhere' },
  'needs-decision': { sends: 'nothing', standing: 'held' },
  declined: { sends: 'nothing', standing: 'held' },
  'reported-ahead': { sends: 'nothing', suggestsName: true },
  'other-body': { sends: 'nothing', standing: 'conflict' },
  'other-bot': { sends: 'nothing', standing: 'conflict' },
  'other-url': { sends: 'nothing', standing: 'conflict' },
  'unknown-at-other-url': { sends: 'nothing', standing: 'held' },
  'held-at-other-url': { sends: 'nothing', standing: 'held' },
  'wait-for-twin': { sends: 'nothing', standing: 'elsewhere' },
  'unfinished-twin': { sends: 'nothing', standing: 'held' },
  'recently-done': {
    sends: 'nothing',
    asked: 'Send the new one anyway?',
    reminded: 'The same amount was sent',
    suggestsName: true,
  },
};

const kinds = Object.keys(cases) as PlanKind[];

async function planOf(order: Order): Promise<PlanKind> {
  const { bot } = scripted.engine(me);
  return await scripted.look(
    async (journal) => (await makePlan(identify(order, bot, journal), bot, journal, scripted.clock.now())).is,
  );
}

const given = new ParsedArgs<'yes'>(
  'transfer',
  [],
  [],
  new Set([
    'yes',
    'once',
    'idempotency-key',
    'propose',
    'sandbox',
    'profile',
    'base-url',
    'token-file',
    'journal',
    'timeout',
    'retries',
    'max-wait',
  ]),
);

type Seen = { readonly questions: string[]; readonly views: View[] };

/** A terminal whose person gives one answer to all questions. */
function contextOf(answer: boolean, seen: Seen, terminal: AtTerminal['is'] = 'foreground'): Context {
  const display: Display = {
    face: 'human',
    quiet: false,
    watched: true,
    terminal: () => terminal,
    write: async () => 'written',
    show: async (view) => {
      seen.views.push(view);
      return 'written';
    },
    fail: async () => {},
    notice: () => {},
    warn: () => {},
    step: () => {},
    waiting: (_why, work) => work,
    meter: () => () => {},
    ask: async () => 'no',
    confirm: async (question) => {
      seen.questions.push(question({ paint: plain, columns: 80 }));
      return answer;
    },
    askLine: async () => '',
    askHidden: async () => '',
  };
  const { chance, interrupts } = scripted.engine(me);
  const env = {
    BOTCTL_TOKEN: 'token-1',
    BOTCTL_BASE_URL: 'https://bots.example',
    BOTCTL_JOURNAL: scripted.path,
  };
  return {
    env,
    stdin: process.stdin,
    display,
    clock: scripted.clock,
    chance,
    interrupts,
    machinePolicy: '/none',
    doing: { does: 'sends', hasChanged: false, begun: false },
  };
}

type Done = Seen & {
  readonly sends: PlanMeaning['sends'];
  readonly reachedOut: boolean;
  readonly exit: number;
  readonly suggestsName: boolean;
};

/** Runs it to its end, with a person who answers so, or with nobody to ask. */
async function carriedOut(order: Order, answer: boolean | undefined): Promise<Done> {
  const before = { sent: scripted.sent.length, intents: (await scripted.intents()).length };
  const seen: Seen = { questions: [], views: [] };
  const context = contextOf(answer ?? false, seen, answer === undefined ? 'none' : 'foreground');
  const engine: EngineContext = scripted.engine({ ...me, limits: { maxWaitMs: 100 } });
  let reachedOut = false;
  const connection = {
    ensurePossible: () => {},
    reachOut: async () => {
      reachedOut = true;
    },
  };
  const ask = consentFor(order, engine, given, context);
  const consent: Consent = openBeforeSending(order.wanted.kind, connection as never, ask);
  scripted.script.splice(0, scripted.script.length, order.wanted.kind === 'message' ? posted : paid);
  const outcome = await execute(order, engine, consent);
  const grew = (await scripted.intents()).length > before.intents;
  const isSent = scripted.sent.length > before.sent;
  return {
    ...seen,
    sends: !isSent ? 'nothing' : grew ? 'a-new-intent' : 'what-was-found',
    reachedOut,
    exit: (await explained(outcome, scripted.clock.now())).exit,
    suggestsName: suggestAnother(outcome, given, context.display).length > 0,
  };
}

describe('what is said of a plan is what is done about it', () => {
  test.each(kinds)('%s: it is planned, and a dry run says so', async (kind) => {
    const { arrange, naming } = cases[kind];
    const order = await arrange(naming);
    expect(await planOf(order)).toBe(kind);
    const seen: Seen = { questions: [], views: [] };
    await dryRun(order, [], given, contextOf(false, seen));
    const [view] = seen.views;
    expect(view?.json).toMatchObject({ rerun: kind });
    const isFoundsKey = meaningOf({ is: kind }).sends === 'what-was-found';
    if (isFoundsKey)
      expect(view?.json).toMatchObject({ intent: { key: (await scripted.intents()).at(-1)?.key } });
    if (meaningOf({ is: kind }).sends === 'a-new-intent')
      for (const { key: old } of await scripted.intents())
        expect(JSON.stringify(view?.json)).not.toContain(old);
    const paint = { bold: String, dim: String } as never;
    const suggest = () => ({ lines: [], lacking: undefined });
    // What differs is known where the other one was found.
    const said =
      kind === 'other-body'
        ? 'the name is taken by a transfer with a different amount (it was'
        : dryRunWords[kind];
    expect(view?.human({ paint, columns: 200, suggest })).toContain(said);
  });

  test.each(kinds)(
    '%s: sends so, ends so, and suggests a name or not, where nobody is asked',
    async (kind) => {
      const { arrange, naming } = cases[kind];
      const meaning = meaningOf({ is: kind });
      const done = await carriedOut(await arrange(naming), undefined);
      expect(done).toMatchObject({
        sends: expected[kind].sends,
        reachedOut: expected[kind].sends !== 'nothing',
        questions: [],
        suggestsName: expected[kind].suggestsName ?? false,
      });
      // What is waited for is still being sent when the time is up; all else that goes on is done.
      const asItEnds = { wait: 9, 'wait-for-twin': 10 }[kind as string] ?? 0;
      expect(done.exit).toBe(exitOfPlan(meaning) ?? asItEnds);
    },
  );

  test('no kind that sends goes without a question', () => {
    const unasked = kinds.filter(
      (kind) => planKinds[kind].sends !== 'nothing' && planKinds[kind].asks !== 'send',
    );
    expect(unasked).toEqual([]);
  });

  test.each(kinds)('%s: a person is asked so, and without a Yes nothing leaves', async (kind) => {
    const { arrange, naming } = cases[kind];
    const { asked, reminded } = expected[kind];
    const order = await arrange(naming);
    const done = await carriedOut(order, false);
    const [question] = done.questions;
    expect(done.questions).toHaveLength(asked === undefined ? 0 : 1);
    expect(question?.endsWith(asked ?? '')).toBe(asked === undefined ? undefined : true);
    if (reminded !== undefined) expect(question).toContain(reminded);
    if (order.wanted.kind === 'transfer') expect(done).toMatchObject({ sends: 'nothing', reachedOut: false });
  });

  test.each(kinds)('%s: with a Yes it leaves, once, where that was asked', async (kind) => {
    const { arrange, naming } = cases[kind];
    const order = await arrange(naming);
    const before = scripted.sent.length;
    const done = await carriedOut(order, true);
    const leaves = expected[kind].asked !== undefined || order.wanted.kind === 'message';
    expect(done.reachedOut).toBe(leaves);
    expect(scripted.sent.length - before).toBe(leaves ? 1 : 0);
  });

  /** A transfer that a dead process was sending: nobody knows whether it was made. */
  async function leaveTwin(): Promise<void> {
    const { bot, chance } = scripted.engine(me);
    await scripted.look(async (journal) => {
      const twin = newIntent(identify(transfer({ memo: 'left' }), bot, journal), bot, chance.uuid);
      await journal.begin(twin, 'hash', scripted.clock.now());
    });
  }

  test.each(kinds.filter((kind) => !/twin|recently/u.test(kind)))(
    '%s: a twin is looked for, or not',
    async (kind) => {
      const { arrange, naming } = cases[kind];
      const order = await arrange(naming);
      await leaveTwin();
      expect(await planOf(order)).toBe(expected[kind].guarded ? 'unfinished-twin' : kind);
    },
  );

  test('resume: a twin is looked for where nothing of it has left yet', async () => {
    await scripted.run(transfer(), [unsent], mine);
    expect(await planOf(transfer())).toBe('resume');
    await leaveTwin();
    expect(await planOf(transfer())).toBe('unfinished-twin');
  });

  test.each(kinds.filter((kind) => cases[kind].inBatches))('%s: a batch finds its row so', async (kind) => {
    const order = await cases[kind].arrange(rowSeven);
    const { bot, journal } = scripted.engine(me);
    const sheet = new Sheet();
    async function* rows() {
      yield { line: 2, fields: { id: '7', ...order.wanted.request } };
    }
    const found = await survey(
      rows(),
      { kind: 'transfer', name: 'b', recipients: 'any' },
      {
        sheet,
        bot,
        journal,
        now: () => scripted.clock.now(),
        isSent: () => false,
        refusalInWords: () => '',
        interrupted: new AbortController().signal,
        inWords: () => '',
        repeatInWords: () => '',
      },
    );
    const { row } = meaningOf({ is: kind });
    expect(found.tally.standings[expected[kind].standing ?? 'invalid']).toBe(1);
    expect(found.firstConflicts.map(({ plan }) => plan)).toEqual(row.is === 'conflict' ? [kind] : []);
    sheet.close();
  });

  test('a claim is made for what sends, and for nothing else', async () => {
    for (const kind of kinds) {
      scripted.remove();
      scripted = new ScriptedEngine();
      const order = await cases[kind].arrange(cases[kind].naming);
      const claimed = await claim(order, scripted.engine({ ...me, limits: { maxWaitMs: 100 } }));
      expect([kind, claimed.is === 'claim']).toEqual([kind, expected[kind].sends !== 'nothing']);
    }
  });
});
