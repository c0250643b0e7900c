import type { Kind } from '../intent/wanted.ts';
import { batchDone, labelOf, meaningOf, type NotDone, unverifiedRows } from '../words/batchEnd.ts';
import { recipientsOf, rowsMissing, rowsStanding, type Total, totalOf } from '../words/batchPlan.ts';
import { formatCount } from '../words/list.ts';
import { onDryRun } from '../words/nothing.ts';
import { sharesOf } from '../words/sharedBatch.ts';
import type { View } from './display.ts';
import { type LabelCanvas, type LabelledValue, labelled } from './drawing.ts';

/** What a batch comes to before it starts. */
export type BatchPlan = {
  readonly command: string;
  readonly kind: Kind;
  readonly name: string;
  readonly bot: string;
  readonly baseUrl: string;
  readonly rows: number;
  /** Rows by how they stand: new, unfinished, done, held, elsewhere, conflict, invalid. */
  readonly standings: Readonly<Record<string, number>>;
  readonly lacking: number;
  readonly totals: readonly Total[];
  readonly recipients: number;
  readonly recipientsRepeated: number;
};

const standingLabels: readonly (readonly [standing: string, label: string])[] = [
  ['new', 'New'],
  ['unfinished', 'Unfinished'],
  ['done', 'Already done'],
  ['held', 'Held'],
  ['elsewhere', 'Elsewhere'],
  ['conflict', 'Conflict'],
  ['invalid', 'Invalid'],
];

function linesOf(plan: BatchPlan): LabelledValue[] {
  const standings = standingLabels.map(([standing, label]): LabelledValue => {
    const count = plan.standings[standing] ?? 0;
    const always = ['new', 'done', 'invalid'].includes(standing);
    return [label, count === 0 && !always ? undefined : rowsStanding(standing, count)];
  });
  const totals = plan.totals.map(
    (total, index): LabelledValue => [index === 0 ? 'Total' : '', totalOf(total)],
  );
  return [
    ['Bot', plan.bot],
    ['Service', plan.baseUrl],
    ['Rows', formatCount(plan.rows)],
    ...standings,
    ...totals,
    [
      'Recipients',
      plan.kind === 'transfer' ? recipientsOf(plan.recipients, plan.recipientsRepeated) : undefined,
    ],
    ['Missing', plan.lacking === 0 ? undefined : rowsMissing(plan.lacking)],
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
    human: (canvas) => `${canvas.paint.bold(`Batch ${plan.name}`)}: ${onDryRun}\n${drawPlan(plan, canvas)}`,
  };
}

/** How a batch ended: how many rows stand how, `unknown` first. */
export type BatchEnd = {
  readonly plan: BatchPlan;
  readonly doneNow: number;
  readonly doneBefore: number;
  /** Done by other runners since this one began; absent where a batch has but one. */
  readonly doneByOthers: number | undefined;
  /** Rows done now of which nothing shows that what was done is what they say. */
  readonly unverified: number;
  /** Rows that are not done, by how they stand. */
  readonly notDone: readonly NotDone[];
  readonly stopped: string | undefined;
  readonly report: string | undefined;
};

export function batchEndJson(end: BatchEnd): Record<string, unknown> {
  const { plan, doneNow, doneBefore, doneByOthers, unverified, notDone, stopped, report } = end;
  return {
    ...planJson(plan),
    result: {
      done: allDone(end),
      done_now: doneNow,
      done_before: doneBefore,
      ...(doneByOthers === undefined ? {} : { done_by_others: doneByOthers }),
      ...(unverified === 0 ? {} : { unverified }),
      ...Object.fromEntries(notDone.map(({ outcome, rows }) => [outcome.replace('-', '_'), rows])),
    },
    ...(stopped === undefined ? {} : { stopped }),
    ...(report === undefined ? {} : { report }),
  };
}

function allDone({ doneNow, doneBefore, doneByOthers = 0 }: BatchEnd): number {
  return doneNow + doneBefore + doneByOthers;
}

export function batchEndView(end: BatchEnd): View {
  const { plan, doneNow, doneBefore, doneByOthers, unverified, notDone, report } = end;
  return {
    json: batchEndJson(end),
    human: (canvas) => {
      const { paint } = canvas;
      const mark = notDone.length === 0 ? paint.green('✔') : paint.yellow('•');
      const headline = batchDone(plan.name, allDone(end), plan.rows, doneBefore);
      const lines = [
        [
          'Shares',
          doneByOthers === undefined || doneNow + doneByOthers === 0
            ? undefined
            : sharesOf(doneNow, doneByOthers),
        ],
        ['Unverified', unverified === 0 ? undefined : unverifiedRows(unverified, plan.kind)],
        ...notDone.map((one): LabelledValue => [labelOf(one), meaningOf(one)]),
        ['Report', report],
      ] as const;
      return `${mark} ${paint.bold(headline)}\n${labelled(lines, canvas)}`;
    },
  };
}
