/**
 * What a run must do, stated a second time: from the design alone, sections 4 to 7, without a look at the code.
 * Each table is read from the top, and its first row that fits answers. The words are those of section 2.
 * If the design gives no answer, the cell has the one that sends nothing, and a comment that begins with `silent:`.
 */

export type Kind = 'message' | 'payment';

const minute = 60_000;
const hour = 60 * minute;

/** Every combination of the values of some axes, as one object each. */
export type Cell<Axes> = { -readonly [K in keyof Axes]: Axes[K] extends readonly (infer V)[] ? V : never };
export function* cells<Axes extends object>(axes: Axes): Generator<Cell<Axes>> {
  const all = Object.entries<readonly unknown[]>(axes as Record<string, readonly unknown[]>);
  const count = all.reduce((product, [, values]) => product * values.length, 1);
  for (let nth = 0; nth < count; nth += 1) {
    const cell: Record<string, unknown> = {};
    let rest = nth;
    for (const [name, values] of all) {
      cell[name] = values[rest % values.length];
      rest = Math.floor(rest / values.length);
    }
    yield cell as Cell<Axes>;
  }
}

export type Table<Of, Answer> = readonly [fits: (cell: Of) => boolean, answer: Answer][];
/** The first row that fits. Every table ends with a row that fits everything. */
export function first<Of, Answer>(table: Table<Of, Answer>, cell: Of): Answer {
  const row = table.find(([fits]) => fits(cell));
  if (!row) throw new Error(`no row answers ${JSON.stringify(cell)}`);
  return row[1];
}
const always = () => true;
const yesOrNo = [false, true] as const;

// ---------------------------------------------------------------------------------------------------------------
// The reasons to hold an entry.

export type HoldReason =
  | 'approval'
  | 'too-old'
  | 'another-token'
  | 'not-allowed'
  | 'another-payment'
  | 'says-failed'
  | 'id-taken'
  | 'refused-in-doubt'
  | 'key-conflict'
  | 'unclear-reply';

// ---------------------------------------------------------------------------------------------------------------
// Section 4: is this a re-run?

const states = [
  'open',
  'sending, owner alive',
  'sending, owner dead',
  'unknown',
  'accepted',
  'rejected',
  'held',
  'resolved as happened',
  'resolved as did-not-happen',
  'declined',
] as const;
export type Found = (typeof states)[number];

/** When the latest attempt was made. */
const latest = ['no attempt', 'within 12 h', 'older', 'later than now'] as const;
export type Latest = (typeof latest)[number];

export const situations = {
  found: ['none', ...states],
  kind: ['message', 'payment'],
  /** By --once, BOTCTL_RUN, a batch and its row, or a key of the caller's own. */
  named: yesOrNo,
  /** Under BOTCTL_RUN another body is another entry, so it is never found. */
  given: ['same', 'another bot', 'another body'],
  /** Whether an attempt may have taken effect: never; once, and it is settled; or now. */
  doubt: ['never', 'settled', 'now'],
  proposal: ['never', 'waiting', 'approved', 'declined'],
  reported: yesOrNo,
  tooOld: yesOrNo,
  anotherToken: yesOrNo,
  latest,
  /** A terminal, and no --yes. */
  asks: yesOrNo,
} as const;
export type Situation = Cell<typeof situations>;

/** What each row of section 4 means. If `already-done` asks "again?", a Yes sends a new entry. */
export const plans = {
  'name-taken': { row: 1, sends: false, exit: 6 },
  /** At most --max-wait, then exit 9; then the table again. */
  wait: { row: 2, sends: false, exit: 'as it ends' },
  hold: { row: 3, sends: false, exit: 10 },
  /** The same key and the same bytes. */
  retry: { row: 4, sends: true, exit: 'as it ends' },
  /** A single command. A batch whose other rows are done ends 2 with a declined one (section 10). */
  'needs-decision': { row: 5, sends: false, exit: 10 },
  'already-done': { row: 6, sends: false, exit: 0 },
  /** The same key, with the bot and the body given. */
  'send-same-key': { row: 7, sends: true, exit: 'as it ends' },
  'new-entry': { row: 8, sends: true, exit: 'as it ends' },
} as const;
export type Plan = keyof typeof plans;

export interface Decision {
  row: number;
  plan: Plan;
  sends: boolean;
  /** "again?" is asked: Yes is a new entry for which section 5 is answered as well, No is exit 130. */
  asksAgain: boolean;
  exit: 0 | 6 | 10 | 'as it ends';
  why?: 'too-old' | 'another-token';
}

/** Row 7. What was rejected is taken up again only by its name. */
const startsAgain = ({ found, named }: Situation) =>
  found === 'open' || found === 'resolved as did-not-happen' || (named && found === 'rejected');
const mayHaveLanded = ({ found }: Situation) => found === 'unknown' || found === 'sending, owner dead';
const happened = ({ found }: Situation) => found === 'accepted' || found === 'resolved as happened';
// silent: something that happened without an attempt; it is reported again.
const recently = (s: Situation) => s.latest !== 'older';

const wasDecided = ({ found, proposal }: Situation) => proposal !== 'never' || found.startsWith('resolved');

const rerunTable: Table<Situation, Plan> = [
  [
    (s) =>
      s.named &&
      s.found !== 'none' &&
      s.given !== 'same' &&
      !(startsAgain(s) && s.doubt === 'never' && !wasDecided(s)),
    'name-taken',
  ],
  [(s) => s.found === 'sending, owner alive', 'wait'],
  [(s) => mayHaveLanded(s) && (s.tooOld || (s.kind === 'payment' && s.anotherToken)), 'hold'],
  [mayHaveLanded, 'retry'],
  [(s) => s.found === 'held' || s.found === 'declined', 'needs-decision'],
  [(s) => happened(s) && (s.named || !s.reported || (s.kind === 'payment' && recently(s))), 'already-done'],
  [startsAgain, 'send-same-key'],
  [always, 'new-entry'],
];

export function decide(s: Situation): Decision {
  const plan = first(rerunTable, s);
  const { row, sends, exit } = plans[plan];
  const asksAgain = plan === 'already-done' && !s.named && s.asks;
  // silent: whether the result shown before a No counts as reported. It does not, so the next run reports it again.
  const decision: Decision = { row, plan, sends, asksAgain, exit: asksAgain ? 'as it ends' : exit };
  // silent: the reason if both apply.
  return plan === 'hold' ? { ...decision, why: s.tooOld ? 'too-old' : 'another-token' } : decision;
}

/**
 * Why no journal can have this entry, for the cells that only complete the table. `decide` answers them too.
 * What makes an unnamed entry the same includes bot and body; proposals are named payments (sections 3 and 7).
 */
export function impossible(s: Situation): string | undefined {
  const { found, doubt, proposal } = s;
  const attempted = s.latest !== 'no attempt';
  if (found === 'none')
    if (doubt !== 'never' || proposal !== 'never' || attempted || s.reported || s.given !== 'same')
      return 'nothing was found';
  if (!s.named && s.given !== 'same') return 'an unnamed entry is found by its bot and its body';
  if (s.named && s.reported) return 'only unnamed entries have a mark that they were reported';
  if (proposal !== 'never' && (!s.named || s.kind === 'message')) return 'only a named payment is proposed';
  if ((proposal === 'declined') !== (found === 'declined'))
    return 'declined is the state of a declined proposal';
  if (proposal === 'waiting' && found !== 'held') return 'a proposal that waits is held';
  if (found === 'held' && (proposal === 'waiting') === (doubt === 'now'))
    return 'what is in doubt is never proposed; without doubt only a proposal is held';
  if (mayHaveLanded(s) && doubt !== 'now') return 'an attempt of it may have taken effect';
  if (!['held', 'unknown', 'sending, owner alive', 'sending, owner dead'].includes(found) && doubt === 'now')
    return 'a state that ends or clears every doubt';
  if ((s.tooOld || s.anotherToken) && doubt !== 'now') return 'asked only of what is in doubt';
  // Only a row left by --skip-repeats happened without an attempt of its own. Such a row is named.
  const hadOne = doubt !== 'never' || found === 'sending, owner alive' || found === 'rejected' || happened(s);
  if (hadOne && !attempted && !(found === 'resolved as happened' && s.named)) return 'it had an attempt';
  return undefined;
}

// How long an entry is looked for, and how long one is sent again by itself.

export const searchedMessages = 12 * hour;
export const sentAgainWithin: Readonly<Record<Kind, number>> = { payment: 30 * minute, message: 24 * hour };

// ---------------------------------------------------------------------------------------------------------------
// Section 5: equal payments. Asked in the commit of the claim, after section 7.

export const questions = {
  mode: ['single', 'batch row', 'resume'],
  /** This entry has a name; a row has its batch's. */
  named: yesOrNo,
  /** This payment is in doubt: it was asked before its first attempt. */
  inDoubt: yesOrNo,
  /** It becomes a proposal now, so nothing leaves. */
  proposes: yesOrNo,
  /** A person answered Yes to "again?" (section 4, row 6), or to a question about an equal payment. */
  saidYes: yesOrNo,
  /** The other one was there when that was asked. */
  wasThere: yesOrNo,
  sameEntry: yesOrNo,
  sameOrigin: yesOrNo,
  /** The other one's state. */
  state: states,
  /** The other one is held for another reason than approval. */
  heldInDoubt: yesOrNo,
  /** When the other one's latest attempt that may have paid was made. */
  mayHavePaid: latest,
  /** The other one's key is among this input's keys, those of invalid rows with an ID included. */
  rowOfInput: yesOrNo,
  asks: yesOrNo,
  repeat: yesOrNo,
  skipRepeats: yesOrNo,
} as const;
export type Question = Cell<typeof questions>;

export type Answer =
  | { does: 'pay' }
  /** No, or stop, is exit 130; a row may also be skipped, with the answers of --skip-repeats. */
  | { does: 'ask'; choices: readonly ('pay' | 'skip' | 'stop')[] }
  /** A batch: before its first request. */
  | { does: 'stop'; exit: 10; code: 'paid-already' }
  | { does: 'usage error'; exit: 2 }
  /** The row is resolved as happened, with the other one's ID. */
  | { does: 'skip as resolved' }
  /** The row stays unpaid, the other rows go on. */
  | { does: 'skip'; batchEnds: 10 };

/** What `--skip-repeats`, or the answer "skip", asks beside the other one's state: it settles one row alone. */
export const settlings = {
  /** The other one was resolved as happened by what the chain proves, and not by a person alone. */
  proven: yesOrNo,
  /** Several rows of the input are equal to it. */
  severalRows: yesOrNo,
  /** It has settled a row already. */
  hasSettled: yesOrNo,
  /** It is a row of this batch's name, under an ID that this input does not have. */
  rowOfName: yesOrNo,
} as const;
export type Settling = Cell<typeof settlings>;

const isDone = ({ state }: Question) => state === 'accepted' || state === 'resolved as happened';
const isPaid = ({ state, proven }: Question & Settling) =>
  state === 'accepted' || (state === 'resolved as happened' && proven);

/** Whether the other entry was paid or may have been. */
function counts(q: Question): boolean {
  if (q.state === 'held') return q.heldInDoubt;
  if (q.state === 'unknown' || q.state.startsWith('sending')) return true;
  // silent: later than now; it counts, as in row 6 of section 4. A row left by --skip-repeats had no attempt.
  return isDone(q) && (q.mayHavePaid === 'within 12 h' || q.mayHavePaid === 'later than now');
}

const pay: Answer = { does: 'pay' };
const usageError: Answer = { does: 'usage error', exit: 2 };
const equalTable: Table<Question & Settling, Answer> = [
  [(q) => q.repeat && q.skipRepeats, usageError],
  // `transfer` has no --skip-repeats, `resume` has neither (section 11).
  [(q) => q.skipRepeats && q.mode !== 'batch row', usageError],
  [(q) => q.repeat && (q.mode === 'resume' || !q.named), usageError],
  // silent: --skip-repeats in a batch without a name, if one can exist; nothing of the batch is sent.
  [(q) => q.skipRepeats && !q.named, usageError],
  [(q) => q.inDoubt || q.proposes, pay],
  [(q) => q.sameEntry || !q.sameOrigin || !counts(q), pay],
  // `resume` knows no file: there every equal payment counts.
  [(q) => q.mode === 'batch row' && q.rowOfInput, pay],
  // The answer is about what was shown.
  [(q) => q.asks && q.saidYes && q.wasThere, pay],
  [(q) => q.repeat, pay],
  [
    (q) => q.skipRepeats && isPaid(q) && !q.severalRows && !q.hasSettled && !q.rowOfName,
    { does: 'skip as resolved' },
  ],
  [(q) => q.skipRepeats, { does: 'skip', batchEnds: 10 }],
  // A person is asked once: what began meanwhile stops it.
  [(q) => q.asks && !q.saidYes && q.mode === 'batch row', { does: 'ask', choices: ['pay', 'skip', 'stop'] }],
  // silent: whether `resume` of a row offers to skip it; it does not.
  [(q) => q.asks && !q.saidYes, { does: 'ask', choices: ['pay', 'stop'] }],
  [always, { does: 'stop', exit: 10, code: 'paid-already' }],
];

const ofItsOwn: Settling = { proven: false, severalRows: false, hasSettled: false, rowOfName: false };
export const equalPayment = (question: Question, settling = ofItsOwn): Answer =>
  first(equalTable, { ...question, ...settling });

export const equalWithin = 12 * hour;
export function latestOf(attempt: number | undefined, now: number): Latest {
  if (attempt === undefined) return 'no attempt';
  if (attempt > now) return 'later than now';
  return now - attempt <= equalWithin ? 'within 12 h' : 'older';
}

export interface Payment {
  to: string;
  asset: string;
  amount: string;
}

/** A decimal as digits and a power of ten, so that 1, 1.0 and 01.00 are one amount. */
function decimal(amount: string): { digits: string; power: number } | undefined {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/u.exec(amount) ?? [];
  if (whole === undefined) return undefined;
  const all = (whole + fraction).replace(/^0+/u, '');
  const digits = all.replace(/0+$/u, '');
  return { digits, power: digits === '' ? 0 : all.length - digits.length - fraction.length };
}

/** `assets`: names and mints of all profiles. A name and a mint given to it are one asset. */
export function equal(a: Payment, b: Payment, assets: readonly { name: string; mint: string }[]): boolean {
  const lower = (text: string) => text.toLowerCase();
  const called = (asset: string) => [
    lower(asset),
    ...assets.filter(({ name }) => lower(name) === lower(asset)).map(({ mint }) => lower(mint)),
  ];
  // silent: two names of one mint; they are one asset. Amounts written differently are compared as decimals.
  const sameAsset = called(a.asset).some((name) => called(b.asset).includes(name));
  const [mine, other] = [decimal(a.amount), decimal(b.amount)];
  return a.to === b.to && sameAsset && mine?.digits === other?.digits && mine?.power === other?.power;
}

// ---------------------------------------------------------------------------------------------------------------
// Section 6: what a reply proves.

export const wordCases = ['none', 'repetition', 'under way', 'other'] as const;
export type Words = (typeof wordCases)[number];

/** The whole body of a 2xx. Each case has examples, of a payment of 1.5 SOL to the address `to`. */
export const bodyCases = [
  'fine',
  'fine, without a documented status',
  'another payment',
  'says that it failed',
  'id of another entry',
  'no result',
] as const;
export type Body2xx = (typeof bodyCases)[number];

/** `failed`, `other`: a status of the list of stems, and one that neither the list nor the service's document has. */
export function bodies2xx(failed: string, other: string, to: string): Record<Kind, [Body2xx, string][]> {
  const noStatus = 'fine, without a documented status';
  const message = { message: { id: 'm1' }, request_id: 'r1' };
  const transfer = { transfer_id: 't1', status: 'submitted', signature: 's1' };
  const json = (base: object, more: object = {}) => JSON.stringify({ ...base, ...more });
  const failures = (base: object): [Body2xx, string][] => [
    ['says that it failed', json(base, { status: failed })],
    ['says that it failed', json(base, { error: 'no' })],
    ['says that it failed', json(base, { error: { code: 'no' } })],
    ['says that it failed', json(base, { ok: false })],
    ['says that it failed', json(base, { success: false })],
    ['says that it failed', json(base, { errors: ['no'] })],
    ['says that it failed', json(base, { errors: { amount: 'too much' } })],
    ['says that it failed', json(base, { errors: 'no' })],
    ...[{ code: 'failed' }, {}, ['confirmed'], []].map((status): [Body2xx, string] => [
      'says that it failed',
      json(base, { status }),
    ]),
    ['fine', json(base)],
    // silent: which values are empty. null and '' are; so are {} and [], which say nothing, and false.
    ...[null, '', {}, [], false].flatMap((error): [Body2xx, string][] => [
      ['fine', json(base, { error })],
      ['fine', json(base, { errors: error })],
    ]),
    ['fine', json(base, { ok: true, success: true })],
  ];
  const noResult = ['', '{}', '[]', 'null', 'OK', '{"ok":true}', '{"message":'];
  return {
    message: [
      ...failures(message),
      // silent: whether an unknown status of a message's reply is warned about; it is accepted either way.
      ['fine', json(message, { status: other })],
      ...[7, 500, true, null].map((status): [Body2xx, string] => ['fine', json(message, { status })]),
      ['says that it failed', '{"message":{"id":"m1","errors":["no"]}}'],
      // The message's own recipient is not compared: only a transfer's is.
      ['fine', json(message, { to_address: 'x', asset: 'x', amount: '9' })],
      ...[...noResult, '{"message":"sent"}', '{"message":[]}', '{"message":null}', json(transfer)].map(
        (body): [Body2xx, string] => ['no result', body],
      ),
    ],
    payment: [
      ...failures(transfer),
      [noStatus, '{"transfer_id":"t1"}'],
      // decided: a number is an id too, and what was done may be named inside `transfer`.
      [noStatus, '{"transfer_id":7}'],
      [noStatus, '{"transfer_id":12345678901234567890}'],
      [noStatus, '{"transfer":{"signature":"s1"}}'],
      ['says that it failed', '{"transfer":{"signature":"s1","status":"failed"}}'],
      ['says that it failed', '{"transfer":{"signature":"s1","status":["confirmed"]}}'],
      ['says that it failed', '{"transfer":{"signature":"s1","errors":["no"]}}'],
      [noStatus, '{"signature":"s1"}'],
      ...[7, 500, true, null, ''].map((status): [Body2xx, string] => [noStatus, json(transfer, { status })]),
      ['fine', json(transfer, { status: 'confirmed', to_address: to, asset: 'sol', amount: '1.50' })],
      ['fine', json(transfer, { amount: '1500000000', transfer: { asset: 'SOL' } })],
      ['fine, without a documented status', json(transfer, { status: other })],
      ['another payment', json(transfer, { to_address: `${to.slice(0, -1)}x` })],
      // A mint is never compared with a symbol.
      ['fine', json(transfer, { asset: to })],
      ['another payment', json(transfer, { asset: 'USDC' })],
      ['another payment', json(transfer, { amount: '15' })],
      // decided: a number in JSON that has lost digits, or has an exponent, names no amount.
      [noStatus, '{"transfer_id":"t1","amount":0.0000005}'],
      [noStatus, '{"transfer_id":"t1","amount":12345678901234567}'],
      ['another payment', '{"transfer_id":"t1","amount":-1.5}'],
      ['another payment', json(transfer, { transfer: { amount: '2' } })],
      ...[...noResult, '{"transfer_id":null}', '{"status":"confirmed"}', json(message)].map(
        (body): [Body2xx, string] => ['no result', body],
      ),
    ],
  };
}

export interface Reply {
  got: 'headers never left' | 'nothing whole' | 'reply';
  /** The body counts if the status is 2xx, the words if it is 409. */
  status: number;
  body: Body2xx;
  words: Words;
}

export interface Asked {
  kind: Kind;
  named: boolean;
  inDoubt: boolean;
  /** The headers of an earlier attempt under this key went out. */
  sentBefore: boolean;
  /** An attempt of it was rejected or got 429. */
  refusedHere: boolean;
}

export interface Judged {
  verdict: 'unsent' | 'unknown' | 'held' | 'accepted' | 'duplicate' | 'rejected' | 'limited';
  /** Whether it is tried again now: after a backoff or, for `limited`, after Retry-After. */
  again: boolean;
  /** The state of the entry if no other attempt follows: at once, or when tries end. */
  ends: 'open' | 'unknown' | 'held' | 'accepted' | 'rejected';
  why?: HoldReason;
  /** A warning that shows the status. */
  warns?: true;
}

const unsent: Judged = { verdict: 'unsent', again: true, ends: 'open' };
const unknown: Judged = { verdict: 'unknown', again: true, ends: 'unknown' };
const unknownNotAgain: Judged = { ...unknown, again: false };
const accepted: Judged = { verdict: 'accepted', again: false, ends: 'accepted' };
const warned: Judged = { ...accepted, warns: true };
const duplicate: Judged = { ...accepted, verdict: 'duplicate' };
const rejected: Judged = { verdict: 'rejected', again: false, ends: 'rejected' };
const limited: Judged = { verdict: 'limited', again: true, ends: 'open' };
const held = (why: HoldReason): Judged => ({ verdict: 'held', again: false, ends: 'held', why });
/** The same key again, and held if the tries end with this reply. */
const heldAtEnd = (why: HoldReason): Judged => ({ ...unknown, ends: 'held', why });

/** 400 402 404–407 410–417 421 422 426 428 431 451; 401, 403, 408, 409, 425 and 429 have rows of their own. */
const refusals = [
  400, 402, 404, 405, 406, 407, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 426, 428, 431, 451,
];

type Case = Asked & Reply;
const status = (of: (code: number) => boolean) => (c: Case) => c.got === 'reply' && of(c.status);
const success = (body: Body2xx) => (c: Case) =>
  status((code) => code >= 200 && code <= 299)(c) && c.body === body;
const conflict = (kind: Kind, words: readonly Words[]) => (c: Case) =>
  status((code) => code === 409)(c) && c.kind === kind && words.includes(c.words);
const repetition = conflict('message', ['none', 'repetition']);

/** What came back; what it proves if the entry was not in doubt, and if it was, where that differs. */
const replyTable: Table<Case, readonly [clear: Judged, inDoubt?: Judged]> = [
  [(c) => c.got === 'headers never left', [unsent, unknown]],
  [(c) => c.got === 'nothing whole', [unknown]],
  [success('another payment'), [held('another-payment')]],
  [success('says that it failed'), [held('says-failed')]],
  [success('id of another entry'), [held('id-taken')]],
  [success('fine'), [accepted]],
  [success('fine, without a documented status'), [warned]],
  [success('no result'), [held('unclear-reply')]],
  [(c) => repetition(c) && c.refusedHere, [held('key-conflict')]],
  [(c) => repetition(c) && (c.named || c.sentBefore), [duplicate]],
  [repetition, [held('key-conflict'), duplicate]],
  [conflict('message', ['under way']), [unknown]],
  [conflict('message', ['other']), [held('key-conflict')]],
  [conflict('payment', wordCases), [heldAtEnd('key-conflict')]],
  [status((code) => code === 401 || code === 403), [rejected, unknownNotAgain]],
  [status((code) => code === 429), [limited, { ...limited, ends: 'unknown' }]],
  [status((code) => code === 408 || code === 425 || (code >= 500 && code <= 599)), [unknown]],
  [status((code) => code < 200 || code === 303), [unknownNotAgain]],
  [
    status((code) => (code >= 300 && code <= 399) || refusals.includes(code)),
    [rejected, held('refused-in-doubt')],
  ],
  [always, [heldAtEnd('unclear-reply')]],
];

// silent: a body longer than 1 MB. It is not read whole, but its status is known: a 2xx is 'no result', a 409 has
// other words, and any other status needs no body. If the body breaks off, nothing whole came back.
export function judge(reply: Reply, asked: Asked): Judged {
  const [clear, inDoubt = clear] = first(replyTable, { ...reply, ...asked });
  return asked.inDoubt ? inDoubt : clear;
}

// ---------------------------------------------------------------------------------------------------------------
// Section 7: policy and approval. Asked in the commit of every claim, whatever row of section 4 led there.

export const claims = {
  kind: ['message', 'payment'],
  named: yesOrNo,
  inDoubt: yesOrNo,
  limits: ['within', 'over', 'asset without a line', 'recipient not allowed'],
  aboveApproval: yesOrNo,
  propose: yesOrNo,
  approved: ['no', 'by another', 'by the proposer'],
  /** The policy has `"approvals": "other"`. */
  byOther: yesOrNo,
  journal: ['file', 'server'],
} as const;
export type Claim = Cell<typeof claims>;

export type Allowed =
  | { says: 'goes on' }
  | { says: 'held'; why: 'not-allowed' | 'approval'; exit: 10 }
  /** The entry stays as it was. Over a limit, the error has `remaining` and `free_at`. */
  | { says: 'refused'; exit: 2 }
  | { says: 'needs a name'; exit: 2 };

/** A file has no database roles, so it cannot tell who approved. */
const isApproved = (c: Claim) =>
  c.approved !== 'no' && !(c.byOther && (c.journal === 'file' || c.approved === 'by the proposer'));
// What was ever approved was proposed, so it needs an approval that counts.
const needsApproval = (c: Claim) => (c.aboveApproval || c.propose || c.approved !== 'no') && !isApproved(c);

const goesOn: Allowed = { says: 'goes on' };
const policyTable: Table<Claim, Allowed> = [
  [(c) => c.kind === 'message', goesOn],
  // silent: the recipient, the asset, `approve_above` and --propose for a payment in doubt; all hold like a limit.
  [
    (c) => c.inDoubt && (c.limits !== 'within' || needsApproval(c)),
    { says: 'held', why: 'not-allowed', exit: 10 },
  ],
  [(c) => c.inDoubt, goesOn],
  // silent: a payment over a limit that also needs approval; it is refused, not proposed.
  [(c) => c.limits !== 'within', { says: 'refused', exit: 2 }],
  [(c) => !needsApproval(c), goesOn],
  [(c) => c.byOther && c.journal === 'file', { says: 'refused', exit: 2 }],
  [(c) => !c.named, { says: 'needs a name', exit: 2 }],
  // silent: an approval that does not count; the payment waits for approval again.
  [always, { says: 'held', why: 'approval', exit: 10 }],
];

export const allowed = (claim: Claim): Allowed => first(policyTable, claim);
