import type { Kind } from '../intent/wanted.ts';
import type { View } from './display.ts';
import { type LabelCanvas, type Line, labelled } from './drawing.ts';

/** What a batch comes to before it starts. */
export type BatchPlan = {
  readonly command: string;
  readonly kind: Kind;
  readonly name: string;
  readonly bot: string;
  readonly baseUrl: string;
  readonly rows: number;
  /** Rows by how they stand: new, unfinished, done, held, elsewhere, refused, invalid. */
  readonly standings: Readonly<Record<string, number>>;
  readonly lacking: number;
  readonly totals: readonly { readonly asset: string; readonly all: string; readonly left: string }[];
  readonly recipients: number;
  readonly recipientsRepeated: number;
};

export function counted(count: number): string {
  return count.toLocaleString('en-US');
}

export function severalRows(count: number): string {
  return `${counted(count)} ${count === 1 ? 'row' : 'rows'}`;
}

const standingLines: readonly (readonly [string, string, string])[] = [
  ['new', 'New', ''],
  ['unfinished', 'Unfinished', ', to be resumed with their own keys'],
  ['done', 'Already done', ''],
  ['held', 'Held', ': a person must decide; not sent'],
  ['elsewhere', 'Elsewhere', ': another process is sending them'],
  ['refused', 'Refused', ': their ids belong to other bodies; not sent'],
  ['invalid', 'Invalid', ': not sent'],
];

function linesOf(plan: BatchPlan): Line[] {
  const standings = standingLines.map(([standing, label, note]): Line => {
    const count = plan.standings[standing] ?? 0;
    const always = ['new', 'done', 'invalid'].includes(standing);
    return [label, count === 0 && !always ? undefined : `${counted(count)}${count === 0 ? '' : note}`];
  });
  const totals = plan.totals.map(
    ({ asset, all, left }, index): Line => [
      index === 0 ? 'Total' : '',
      `${all} ${asset}${all === left ? '' : `, of which ${left} ${asset} not done yet`}`,
    ],
  );
  const repeated =
    plan.recipientsRepeated === 0 ? '' : `, ${counted(plan.recipientsRepeated)} of them paid more than once`;
  const lacking =
    plan.lacking === 0
      ? undefined
      : `${severalRows(plan.lacking)} of this name in the journal, but not in this input`;
  return [
    ['Bot', plan.bot],
    ['Service', plan.baseUrl],
    ['Rows', counted(plan.rows)],
    ...standings,
    ...totals,
    ['Recipients', plan.kind === 'transfer' ? `${counted(plan.recipients)}${repeated}` : undefined],
    ['Missing', lacking],
  ];
}

export function drawPlan(plan: BatchPlan, canvas: LabelCanvas): string {
  return labelled(linesOf(plan), canvas);
}

export function planJson(plan: BatchPlan): Record<string, unknown> {
  return {
    schema: 'botctl/1',
    command: plan.command,
    name: plan.name,
    bot: plan.bot,
    base_url: plan.baseUrl,
    rows: { all: plan.rows, ...plan.standings, missing: plan.lacking },
    ...(plan.kind === 'message'
      ? {}
      : {
          totals: plan.totals,
          recipients: plan.recipients,
          recipients_paid_more_than_once: plan.recipientsRepeated,
        }),
  };
}

export function planView(plan: BatchPlan): View {
  return {
    json: { ...planJson(plan), outcome: 'dry-run' },
    human: (canvas) =>
      `${canvas.paint.bold(`Batch ${plan.name}`)}: nothing is sent (--dry-run)\n${drawPlan(plan, canvas)}`,
  };
}

/** How a batch ended: how many rows stand how, `unknown` first. */
export type BatchEnd = {
  readonly plan: BatchPlan;
  readonly doneNow: number;
  readonly doneBefore: number;
  /** Rows that are not done, by how they stand. */
  readonly undone: readonly { readonly outcome: string; readonly rows: number }[];
  readonly stopped: string | undefined;
  readonly report: string | undefined;
};

export function batchEndJson({ plan, doneNow, doneBefore, undone, stopped, report }: BatchEnd) {
  return {
    ...planJson(plan),
    result: {
      done: doneNow + doneBefore,
      done_now: doneNow,
      done_before: doneBefore,
      ...Object.fromEntries(undone.map(({ outcome, rows }) => [outcome.replace('-', '_'), rows])),
    },
    ...(stopped === undefined ? {} : { stopped }),
    ...(report === undefined ? {} : { report }),
  };
}

const meanings: Readonly<Record<string, string>> = {
  unknown: 'they may have happened',
  sending: 'another process is sending them',
  held: 'a person must decide: botctl history --state held',
  refused: 'their ids belong to other bodies, or to other bots',
  rejected: 'the service refused them',
  open: 'nothing of them has left',
  invalid: 'not valid',
  'not-begun': 'not begun',
};

export function batchEndView(end: BatchEnd): View {
  const { plan, doneNow, doneBefore, undone, report } = end;
  return {
    json: batchEndJson(end),
    human: (canvas) => {
      const { paint } = canvas;
      const done = doneNow + doneBefore;
      const mark = undone.length === 0 ? paint.green('✔') : paint.yellow('•');
      const before = doneBefore === 0 ? '' : `, ${counted(doneBefore)} of them before`;
      const headline = `${mark} ${paint.bold(`Batch ${plan.name}: ${counted(done)} of ${severalRows(plan.rows)} done${before}`)}\n`;
      const lines = undone.map(
        ({ outcome, rows }): Line => [outcome, `${counted(rows)}: ${meanings[outcome] ?? ''}`],
      );
      return `${headline}${labelled([...lines, ['Report', report]], canvas)}`;
    },
  };
}
