import fc from 'fast-check';
import { namedById } from '../../../../src/batch/checkRow.ts';
import { type BaseUrl, parseBaseUrl } from '../../../../src/once/entry/baseUrl.ts';
import type { Order } from '../../../../src/once/entry/naming.ts';
import { key, message, once, run, transfer } from '../../../support/scriptedEngine.ts';
import { whens } from './chain.ts';
import { type Fate, fates, type Misnamed, type ParsedReply, saids } from './service.ts';

/** What operators and scripts of two bots type: few commands, so that they meet each other. */
export const commands: readonly { readonly order: Order; readonly bot: string }[] = [
  { order: transfer(), bot: 'tips' },
  { order: transfer({ memo: 'again' }), bot: 'tips' },
  { order: transfer(), bot: 'other' },
  { order: transfer({}, once('a')), bot: 'tips' },
  { order: transfer({}, once('a')), bot: 'other' },
  { order: transfer({ amount: '2' }, once('a')), bot: 'tips' },
  { order: transfer({}, once('b')), bot: 'tips' },
  { order: transfer({}, run('r')), bot: 'tips' },
  { order: transfer({}, key('k')), bot: 'tips' },
  { order: transfer(), bot: 'env' },
  { order: transfer({}, namedById('b', '1')), bot: 'tips' },
  { order: transfer({}, namedById('b', '2')), bot: 'tips' },
  { order: message(), bot: 'tips' },
  { order: message(), bot: 'other' },
  { order: message('Hello', once('a')), bot: 'tips' },
  { order: message('Goodbye', once('a')), bot: 'tips' },
  { order: message('Hello', run('r')), bot: 'tips' },
];

/** How one and the same service is called: the second is the first with a dot, the third has a path of its own. */
export const urls = ['https://bots.example', 'https://bots.example.', 'https://bots.example/bots'].map(
  (url) => parseBaseUrl(url),
);

/** A process dies at one of its steps: before what the step does, or just after it. */
export type Death = { readonly atStep: number; readonly after: boolean };

/** What may be paid without approval, and whether somebody else than who proposed it must approve. */
export type Rule = { readonly above: '1' | '1.75'; readonly byAnother: boolean };

type Life = {
  readonly fates: readonly Fate[];
  readonly death: Death | undefined;
  readonly rule: Rule | undefined;
  readonly by: string;
};

/** About an entry as it stands now, or as it was when somebody last looked. */
type Deciding = { readonly which: number; readonly isLate: boolean };

export type Step =
  | (Life & {
      readonly is: 'run';
      readonly command: number;
      readonly url: BaseUrl;
      readonly token: string;
      readonly told: boolean;
      readonly proposes: boolean;
    })
  | (Life & {
      readonly is: 'run-twice-at-once';
      readonly command: number;
      readonly urls: readonly [BaseUrl, BaseUrl];
      readonly told: boolean;
    })
  /** All entries are on a person's screen, as they stand. */
  | { readonly is: 'look' }
  | (Life & Deciding & { readonly is: 'resume'; readonly sendAgain: boolean })
  | (Deciding & { readonly is: 'approve' | 'decline'; readonly by: string })
  | (Deciding & { readonly is: 'resolve'; readonly rightly: boolean })
  | { readonly is: 'verify'; readonly newestFirst: boolean; readonly isFinal: boolean }
  | { readonly is: 'time-passes'; readonly ms: number }
  | { readonly is: 'clock-steps-back'; readonly ms: number };

const minute = 60_000;
const hour = 60 * minute;

const misnamed: fc.Arbitrary<Misnamed> = fc
  .tuple(
    fc.constantFrom(...whens, 'others' as const, 'now' as const),
    fc.constantFrom(...saids, 'broken-off' as const),
    fc.constantFrom('done' as const, 'undone' as const),
  )
  .map(([when, said, whether]) => `${when} ${said} ${whether}` as const);

const fate = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Fate>('answered') },
  { weight: 6, arbitrary: fc.constantFrom(...fates) },
  { weight: 2, arbitrary: misnamed },
);
const by = fc.constantFrom('ada@here', 'bob@there');
const rule = fc.option(
  fc.record({ above: fc.constantFrom('1' as const, '1.75' as const), byAnother: fc.boolean() }),
  { nil: undefined, freq: 2 },
);
const life = {
  by,
  rule,
  fates: fc.oneof(
    { weight: 4, arbitrary: fc.array(fate, { minLength: 3, maxLength: 3 }) },
    { weight: 1, arbitrary: misnamed.map((one): Fate[] => [one, one, one]) },
  ),
  death: fc.option(fc.record({ atStep: fc.nat(7), after: fc.boolean() }), { nil: undefined, freq: 3 }),
};
const url = fc.oneof(
  { weight: 4, arbitrary: fc.constant(urls[0] as BaseUrl) },
  { weight: 3, arbitrary: fc.constantFrom(...urls) },
);
const told = fc.oneof(
  { weight: 3, arbitrary: fc.constant(true) },
  { weight: 1, arbitrary: fc.constant(false) },
);
const about = {
  which: fc.nat(9),
  isLate: fc.oneof({ weight: 2, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
};
const isFinal = fc.constantFrom(true, true, true, false);
const token = fc.oneof(
  { weight: 6, arbitrary: fc.constant('token-1') },
  { weight: 1, arbitrary: fc.constant('token-2') },
);
const rightly = fc.oneof(
  { weight: 4, arbitrary: fc.constant(true) },
  { weight: 1, arbitrary: fc.constant(false) },
);

/** Anything; or one payment spelled in four ways, decided about again and again: few other histories come so far. */
const mixes = {
  anything: { otherSteps: 1, command: fc.nat(commands.length - 1), url, life },
  decisions: {
    otherSteps: 0,
    command: fc.constantFrom(0, 3, 5, 7),
    url: fc.constant(urls[0] as BaseUrl),
    life: {
      by,
      rule: fc.constantFrom<Rule | undefined>(
        undefined,
        { above: '1', byAnother: false },
        { above: '1', byAnother: true },
      ),
      fates: fc.constantFrom<Fate>('answered', '400', '429').map((one) => [one, one, one]),
      death: fc.constant(undefined),
    },
  },
};

function step(
  memory: ParsedReply['memory'],
  { otherSteps, command, url, life }: (typeof mixes)[keyof typeof mixes],
): fc.Arbitrary<Step> {
  const time = fc.record({
    is: fc.constant('time-passes' as const),
    ms: fc.constantFrom(1000, 3 * minute, 29 * minute, 31 * minute, 11 * hour, 21 * hour, 25 * hour),
  });
  const back = fc.record({
    is: fc.constant('clock-steps-back' as const),
    ms: fc.constantFrom(minute, 6 * minute, 22 * hour),
  });
  return fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        is: fc.constant('run' as const),
        command,
        url,
        token,
        told,
        proposes: fc.constantFrom(true, false, false, false, false),
        ...life,
      }),
    },
    {
      weight: otherSteps,
      arbitrary: fc.record({
        is: fc.constant('run-twice-at-once' as const),
        command,
        urls: fc.tuple(url, url),
        told,
        ...life,
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        is: fc.constant('resume' as const),
        sendAgain: fc.boolean(),
        ...about,
        ...life,
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        is: fc.constant('approve' as const),
        by,
        ...about,
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ is: fc.constant('decline' as const), by, ...about }),
    },
    { weight: 2, arbitrary: fc.constant({ is: 'look' as const }) },
    {
      weight: otherSteps,
      arbitrary: fc.record({ is: fc.constant('resolve' as const), rightly, ...about }),
    },
    {
      weight: 3 * otherSteps,
      arbitrary: fc.record({ is: fc.constant('verify' as const), newestFirst: fc.boolean(), isFinal }),
    },
    { weight: 2 * otherSteps, arbitrary: time },
    // A clock that runs behind makes every memory too short: no program can know.
    ...(memory === 'for-ever' ? [{ weight: otherSteps, arbitrary: back }] : []),
  );
}

export type History = { readonly parsed: ParsedReply; readonly steps: readonly Step[] };

const parsed: fc.Arbitrary<ParsedReply> = fc.record({
  repeatedTransfer: fc.constantFrom('replay', 'conflict'),
  repeatedMessage: fc.constantFrom('replay', 'conflict'),
  memory: fc.constantFrom('as-relied-on', 'for-ever'),
});

const stepsOf = ({ memory }: ParsedReply, mix: Parameters<typeof step>[1]): fc.Arbitrary<Step[]> =>
  fc.array(step(memory, mix), { minLength: 1, maxLength: 24 });

export const histories: fc.Arbitrary<History> = parsed.chain((chosen) =>
  fc.record({
    parsed: fc.constant(chosen),
    steps: fc.oneof(
      { weight: 2, arbitrary: stepsOf(chosen, mixes.anything) },
      { weight: 1, arbitrary: stepsOf(chosen, mixes.decisions) },
    ),
  }),
);
