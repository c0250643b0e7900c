import type { Bot } from '../bot/bot.ts';
import type { Connection } from '../bot/connection.ts';
import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import { type LabelCanvas, labelled, plainCanvas, remark } from '../display/drawing.ts';
import { drawIntent } from '../display/outcomeView.ts';
import type { Answer, Consent } from '../engine/agree.ts';
import type { Plan } from '../engine/plan.ts';
import { meaningOf, type PlanMeaning } from '../engine/planKinds.ts';
import { isNamed } from '../intent/naming.ts';
import type { Order } from '../intent/order.ts';
import type { Kind } from '../intent/wanted.ts';
import { formatAmountOf } from '../words/amount.ts';
import { questionTexts, reminderOf } from '../words/questions.ts';

/** Who asks a person, and about what. Without a terminal, or with --yes, nobody is asked. */
export function consentFor(order: Order, bot: Bot, given: Given, { display }: Context): Consent | undefined {
  if (!display.interactive || given.flag('yes')) return undefined;
  const canvas = plainCanvas(display.columns);
  const facts = drawOrder(order, bot, canvas);
  return async (plan) => {
    const meaning = meaningOf(plan);
    const { asks } = meaning;
    if (asks === 'nothing' || !questions[asks].isAskedOf(order)) return 'go';
    const { text, yes, no } = questions[asks];
    const reminder = reminderOf(plan, meaning, order.wanted.kind);
    const reminded = reminder === undefined ? '' : remark(reminder, canvas);
    const twin = plan.twin === undefined ? '' : drawIntent(plan.twin, canvas);
    return (await display.confirm(`${facts}${reminded}${twin}${text}`)) ? yes : no;
  };
}

type Question = {
  readonly text: string;
  readonly isAskedOf: (order: Order) => boolean;
  readonly yes: Answer;
  readonly no: Answer;
};

const questions: Readonly<Record<Exclude<PlanMeaning['asks'], 'nothing'>, Question>> = {
  // A message is sent without a question: it can be followed by another.
  send: {
    text: questionTexts.send,
    isAskedOf: ({ wanted }) => wanted.kind === 'transfer',
    yes: 'go',
    no: 'no',
  },
  // What is named is the same for ever.
  'do-again': {
    text: questionTexts['do-again'],
    isAskedOf: ({ naming }) => !isNamed(naming),
    yes: 'anew',
    no: 'go',
  },
  'send-anyway': { text: questionTexts['send-anyway'], isAskedOf: () => true, yes: 'anew', no: 'no' },
};

/** Begins the connection before a plan is journaled that sends something; a replay does without. */
export function openBeforeSending(
  kind: Kind,
  { ensurePossible, reachOut }: Connection,
  ask: Consent | undefined,
): Consent {
  return async (plan) => {
    if (sends(plan)) ensurePossible(kind);
    const answer = ask === undefined ? 'go' : await ask(plan);
    if (answer === 'anew') ensurePossible(kind);
    if (answer === 'anew' || (answer === 'go' && sends(plan))) await reachOut();
    return answer;
  };
}

function sends(plan: Plan): boolean {
  return meaningOf(plan).sends !== 'nothing';
}

/** Who would do what, and where: no question goes without it. */
function drawOrder({ wanted }: Order, { name, spelledUrl }: Bot, canvas: LabelCanvas): string {
  const who = [
    ['Bot', name],
    ['Service', spelledUrl],
  ] as const;
  if (wanted.kind === 'message') {
    const { conversation_id, content } = wanted.request;
    return labelled([...who, ['Conversation', conversation_id], ['Content', content]], canvas);
  }
  const { to_address, asset, amount, memo } = wanted.request;
  return labelled(
    [
      ...who,
      ['To', to_address],
      ['Amount', formatAmountOf(amount, asset)],
      ['Memo', memo === '' ? undefined : memo],
    ],
    canvas,
  );
}
