import { formatAmountOf } from '../words/amount.ts';
import { countedWords, leftWords, policyLabels } from '../words/policyShow.ts';
import { isoExact } from '../words/time.ts';
import type { View } from './display.ts';
import { type LabelledValue, labelled } from './drawing.ts';
import { safeLine } from './safeText.ts';

/** One policy, as it is shown. Amounts are texts. */
export type ShownPolicy = {
  readonly source: string;
  readonly journal: string | undefined;
  readonly limits: readonly {
    readonly asset: string;
    readonly transfer: string | undefined;
    readonly day: string | undefined;
    readonly recipientDay: string | undefined;
    readonly approveAbove: string | undefined;
  }[];
  readonly recipients: readonly { readonly name: string; readonly address: string }[];
  readonly onlyRecipients: boolean;
  readonly freshJournal: 'refuse' | 'allow';
};

/** What is left of an asset's tightest limit of a day. */
export type ShownLeft = {
  readonly asset: string;
  readonly limit: string;
  readonly spent: string;
  readonly remaining: string;
  readonly source: string;
  /** Until then nothing of it may be spent: the journal is too young for this limit. */
  readonly freeAtMs: number | undefined;
};

type ShownPolicies = {
  readonly command: string;
  readonly policies: readonly ShownPolicy[];
  /** Absent where no journal was asked. */
  readonly left?: readonly ShownLeft[];
  /** Since when the journal is complete, where it was asked and knows anything; and whether that is all of it. */
  readonly counted?: { readonly sinceMs: number; readonly isWhole: boolean } | undefined;
};

export function policyView({ command, policies, left, counted }: ShownPolicies): View {
  return {
    json: {
      schema: 'botctl/1',
      command,
      policies: policies.map(policyJson),
      ...(left === undefined ? {} : { left: left.map(leftJson) }),
      ...(counted === undefined ? {} : { complete_since: isoExact(counted.sinceMs) }),
    },
    human: (canvas) => {
      const parts = policies.map(
        (policy) =>
          `${canvas.paint.bold(safeLine(policyLabels.policy(policy.source)))}\n${labelled(linesOf(policy), canvas)}`,
      );
      const remaining = (left ?? []).map((one): LabelledValue => [one.asset, leftWords(one)]);
      const today =
        remaining.length === 0
          ? []
          : [
              `${canvas.paint.bold(policyLabels.left)}\n${labelled(
                [
                  ...remaining,
                  [policyLabels.counted, counted && countedWords(counted.sinceMs, counted.isWhole)],
                ],
                canvas,
              )}`,
            ];
      return policies.length === 0 ? `${policyLabels.none}\n` : [...parts, ...today].join('\n');
    },
  };
}

function linesOf({
  journal,
  limits,
  recipients,
  onlyRecipients,
  freshJournal,
}: ShownPolicy): LabelledValue[] {
  return [
    [policyLabels.journal, journal],
    ...limits.map((line): LabelledValue => [line.asset, policyLabels.limits(line, formatAmountOf)]),
    ...recipients.map(({ name, address }): LabelledValue => [`@${name}`, address]),
    [policyLabels.recipients, policyLabels.only(onlyRecipients)],
    [policyLabels.fresh, freshJournal === 'allow' ? policyLabels.allowed : undefined],
  ];
}

function leftJson({ freeAtMs, ...left }: ShownLeft): Record<string, unknown> {
  return { ...left, ...(freeAtMs === undefined ? {} : { free_at: isoExact(freeAtMs) }) };
}

function policyJson(policy: ShownPolicy): Record<string, unknown> {
  const { source, journal, limits, recipients, onlyRecipients, freshJournal } = policy;
  return {
    source,
    ...(journal === undefined ? {} : { journal }),
    limits: limits.map(({ asset, transfer, day, recipientDay, approveAbove }) => ({
      asset,
      ...(transfer === undefined ? {} : { transfer }),
      ...(day === undefined ? {} : { day }),
      ...(recipientDay === undefined ? {} : { recipient_day: recipientDay }),
      ...(approveAbove === undefined ? {} : { approve_above: approveAbove }),
    })),
    recipients,
    only_recipients: onlyRecipients,
    fresh_journal: freshJournal,
  };
}
