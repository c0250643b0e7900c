import type { Candidate, Gap, Search } from '../../once/chain/search.ts';
import type { ChainView, Paid } from '../../once/chain/standing.ts';
import type { Reason } from '../../once/chain/transaction.ts';
import { envBot } from '../../once/connection.ts';
import { isProposal, isUnsentProposal } from '../../once/engine/approval.ts';
import { formatAmount } from '../../once/intent/amount.ts';
import type { Intent } from '../../once/journal/journal.ts';
import { counted, formatDuration, iso, listed, type Suggestion } from './phrases.ts';
import { nothingSentNow, type Told, told } from './told.ts';

/** Each is part of a sentence. */
export const reasonWords: Readonly<Record<Reason, string>> = {
  'no-signature': 'the service gave no signature that could be looked up',
  'no-mint': 'the profile names no mint for the asset',
  'not-seen': 'the node does not show the transaction (it may be late, or lost)',
  'only-processed': 'the transaction is only processed so far',
  'only-confirmed': 'the transaction is confirmed but not final yet',
  unreachable: 'the node could not be reached',
  'rate-limited': 'the node limits the rate',
  'node-error': 'the node answered with an error',
  'not-permitted': 'the node refused the request (401 or 403)',
  lagging: 'the node lags behind',
  'other-cluster': 'the node belongs to another cluster',
  unreadable: 'the node’s answer cannot be read',
  'unknown-version': 'the transaction’s version is not known',
  'not-first-signature': 'the signature is not the first of its transaction',
  failed: 'the transaction failed',
  'other-recipient': 'the transaction paid another recipient',
  'other-asset': 'the transaction moved another asset',
  'other-amount': 'the transaction paid another amount',
  'wrapped-sol': 'the transaction paid wrapped SOL where SOL was asked for',
  'no-transfer': 'the transaction paid nothing',
  claimed: 'its payment already belongs to another transfer',
  'other-source': 'the payment came from a wallet other than the profile’s',
  'owner-unclear': 'the transaction does not show who owns a token account',
  'balance-differs': 'a balance does not match the instructions',
  'scaled-mint': 'the mint shows other amounts than it moves',
  confidential: 'the transaction moves amounts that nobody else can read',
  'in-parts': 'the transaction paid the amount in parts',
  'no-gain': 'the recipient did not gain what the transaction paid (some of it was taken back)',
  'other-time': 'the transaction is older than the transfer, or its time is unknown',
  'source-unchecked': 'the profile names no wallet, so whose money it was is not checked',
  'memo-missing': 'the memo is not in the transaction',
  'fee-withheld': 'the mint kept a fee: the recipient received less than was sent',
};

function why({ reasons }: Pick<ChainView, 'reasons'>): string {
  return reasons.length === 0
    ? 'nothing more is known'
    : listed(reasons.map((reason) => reasonWords[reason]));
}

const oddities: readonly Reason[] = ['source-unchecked', 'memo-missing', 'fee-withheld'];

/** What is odd about a proven payment, a sentence each. */
export function chainWarnings(view: ChainView): string[] {
  const { reasons, verdict } = view;
  if (verdict !== 'proven' && verdict !== 'likely') return [];
  return reasons.flatMap((reason) =>
    oddities.includes(reason) ? [`On the chain, ${reasonWords[reason]}.`] : [],
  );
}

const chainHeadlines: Readonly<Record<ChainView['verdict'], string>> = {
  proven: 'Proven on chain',
  likely: 'Confirmed on the chain, not final yet',
  contradicted: 'Contradicted by the chain',
  undecided: 'Not proven by the chain',
};

/** A verdict and its reason, on a line of their own. */
export function chainLine(view: ChainView): string {
  const { verdict, commitment } = view;
  const isFinal = verdict === 'likely' && commitment === 'finalized';
  const headline = isFinal ? 'Final on the chain, but not proven' : chainHeadlines[verdict];
  return verdict === 'proven' ? headline : `${headline}: ${why(view)}`;
}

/** `asset` is the requested asset, if the paid mint is its own. */
export function paidWords(
  { units, decimals, received, mint, to, fee_units: fee }: Paid,
  asset: string | undefined,
): string {
  const amount = (text: string): string => formatAmount({ units: BigInt(text), decimals });
  const token = asset === undefined || asset === mint ? `of ${mint}` : `${asset} (mint ${mint})`;
  const what = mint === undefined ? 'SOL' : token;
  const less = fee === '0' ? '' : ` (${amount(received)} received)`;
  return `${amount(units)} ${what} to ${to}${less}`;
}

export function provenOnChain({ cluster, slot, rpc }: ChainView): string {
  return `The chain shows it: cluster ${cluster}, slot ${slot}, as seen by ${rpc}.`;
}

export function chainWaitText(until: string, view: ChainView | undefined, leftMs: number): string {
  const stage = view === undefined ? 'asking' : (view.commitment ?? why(view));
  return `Waiting for ${until}: ${stage}; ${formatDuration(Math.max(0, Math.ceil(leftMs / 1000) * 1000))} left`;
}

/** The service accepted it, but the chain has not shown it so far. */
export function notSeen({ id }: Intent, view: ChainView): Told {
  if (hasNoSignature(view)) return neverSeen(id, view);
  return told('unproven')`
    The service accepted the transfer (signature ${view.signature ?? 'unknown'}), but the chain has not proven it: ${why(view)} (ID ${id}).
    Run the same command again to wait longer; it does not pay again. Or look once:
    $ verify ${id}`;
}

/** It cannot be looked up, now or later. */
function hasNoSignature({ reasons }: ChainView): boolean {
  return reasons.includes('no-signature');
}

function neverSeen(id: string, view: ChainView): Told {
  return told('unproven')`
    The service accepted the transfer, but the chain cannot show it: ${why(view)} (ID ${id}).
    Looking again does not help. Ask the service about it, by its transfer ID:
    $ history ${id}`;
}

export function notDecided({ id, state }: Intent, view: ChainView): Told {
  if (state === 'accepted' && hasNoSignature(view)) return neverSeen(id, view);
  return told('unproven')`The chain has not decided the transfer: ${why(view)}. It stays ${state} (ID ${id}).
    This proves nothing either way. Look again later:
    $ verify ${id}`;
}

/** Why a search proves nothing, each a sentence. Any other reason is a node's. */
const gapWords: Readonly<Partial<Record<Gap, string>>> = {
  'cut-short': 'The node’s list does not go back to the first request, so it proves nothing.',
  'too-many': 'The search ended after 1,000 transactions, so it proves nothing.',
  'too-slow': 'The search ended after 30 seconds, so it proves nothing.',
  unclear: 'Some transactions cannot be read from outside, so it proves nothing.',
};

function gapOf({ gap }: Search): string[] {
  if (gap === undefined) return [];
  return [gapWords[gap] ?? `The search proves nothing: ${reasonWords[gap as Reason]}.`];
}

/** `1.5 SOL to 9WzD…` */
type Searched = { readonly intent: Intent; readonly payment: string; readonly search: Search };

// Blocks tell their time in whole seconds.
const blockMs = 1000;

/** One payment that may be the transfer. */
export function candidateLine({ signature, atMs, memo }: Candidate, { payment, search }: Searched): string {
  const when = atMs === undefined ? 'at an unknown time' : `at ${iso(atMs)}`;
  const early = atMs !== undefined && atMs + blockMs <= search.sinceMs ? ', before the first request' : '';
  const noted = memo === undefined ? 'no memo' : `memo ${JSON.stringify(memo)}`;
  return `${payment} left the wallet ${when}${early}, with ${noted}: ${signature}`;
}

/** Nobody knows about a transfer without a signature. The search is shown, and decides nothing. */
export function searched({ intent, payment, search }: Searched): Told {
  const { id, state } = intent;
  const { candidates, sinceMs, untilMs, gap } = search;
  const between = `left the wallet between ${iso(sinceMs)} and ${iso(untilMs)}, as far as finalized`;
  const some = counted(candidates.length, 'payment of exactly this', 'payments of exactly this');
  const none = gap === undefined ? between : 'was found';
  const found = candidates.length === 0 ? `No payment of ${payment} ${none}.` : `${some} ${between}.`;
  const message = `Nobody knows whether the transfer was made: the service gave no signature. It stays ${state} (ID ${id}). ${[found, ...gapOf(search)].join(' ')}`;
  if (candidates.length > 0)
    return told('unproven', {
      next: candidates.map(({ signature }) => [
        'resolve',
        id,
        '--happened',
        '--signature',
        signature,
        ...reason,
      ]),
    })`
      ${message}
      If ${candidates.length === 1 ? 'it' : 'one of them'} is this transfer, say so; finding it decides nothing. If not, look again later.`;
  return state === 'held'
    ? told('unproven', { next: resolving(id) })`${message}
      Ask the service too, then decide. ${onlyIfSure}`
    : told('unproven')`${message}
      Run its own command again: within 30 minutes of the first request that finishes the payment, after that it is held and you decide.
      $ history ${id}`;
}

export function contradicted({ id }: Intent, view: ChainView): Told {
  return told('contradicted')`
    The chain contradicts the transfer: ${why(view)} (signature ${view.signature ?? 'unknown'}, ID ${id}). This signature did not pay it; the service may have signed another one.
    Ask the service what became of it, and check the wallet:
    $ history ${id}`;
}

/** The chain shows the payment, and a person must say whether it is this transfer. */
export function personDecides({ id, state }: Intent, view: ChainView): Told {
  return told('held', { next: resolving(id) })`
    The chain shows a payment that may be this transfer (signature ${view.signature ?? 'unknown'}), but ${whyPerson(view)}. It stays ${state} (ID ${id}).
    Check the wallet, then decide whether it happened:`;
}

function whyPerson(view: ChainView): string {
  if (view.verdict === 'likely') return reasonWords['source-unchecked'];
  return 'the service said that the transfer failed';
}

export function otherSignature({ id }: Intent, proven: string, replied: string): Told {
  return told('contradicted')`
    The chain proved the transfer by signature ${proven}, but the service later accepted it with another one, ${replied}. It may have been paid twice (ID ${id}).
    Check the wallet for both, and ask the service:
    $ history ${id}`;
}

/** The end of `verify --all` if some transfers are not proven. */
export function someUnproven(
  { against, toDecide, open }: Readonly<Record<'against' | 'toDecide' | 'open', number>>,
  of: 'of-batch' | 'of-all' = 'of-all',
): Told {
  const more = open === 0 ? '' : `, and ${counted(open, 'more is', 'more are')} undecided`;
  if (toDecide > 0) {
    const contradicted = against === 0 ? '' : `, and contradicts ${counted(against, 'transfer')}`;
    return told('some-held')`
      The chain leaves ${counted(toDecide, 'transfer')} to a person${contradicted}${more}.
      Each of them says why and what to do.`;
  }
  if (against > 0) {
    return told('contradicted')`The chain contradicts ${counted(against, 'transfer')}${more}.
      Ask the service what became of each of them.`;
  }
  return told(open === 1 && of === 'of-all' ? 'unproven' : 'some-unproven')`
    The chain has not decided ${counted(open, 'transfer')}.
    This proves nothing either way. Run the same command again later.`;
}

export function noRpcUrl(bot: string): Told {
  return chainLacks(bot, ['rpc-url'], `The bot ${bot} names no Solana node to look up its transfers`);
}

const variables = { 'rpc-url': 'BOTCTL_RPC_URL', wallet: 'BOTCTL_WALLET' } as const;

/** What a bot lacks is set where the bot is: in its profile, or in the environment. */
export function chainLacks(
  bot: string,
  lacks: readonly (keyof typeof variables)[],
  problem: string,
  otherwise = '',
): Told {
  const code = lacks.includes('rpc-url') ? 'no-rpc-url' : 'no-wallet';
  if (bot === envBot)
    return told(code)`${problem}
      ${otherwise}Set ${listed(lacks.map((key) => variables[key]))}, or name a profile with --profile NAME.`;
  const next = lacks.map((key) => ['config', 'set', bot, key, ...(key === 'wallet' ? ['ADDRESS'] : [])]);
  return told(code, { next })`${problem}
    ${otherwise}Set what is missing, then run the same command again:`;
}

export function paysSomethingElse({ id }: Intent, view: ChainView): Told {
  return told('not-allowed-now')`
    Signature ${view.signature ?? 'unknown'} does not show that transfer ${id} happened: ${why(view)}
    Find the signature of its own payment, or leave --signature out if you know by other means.`;
}

export function signatureUnproven(view: ChainView): string {
  return `The chain does not prove the signature: ${why(view)}. It is kept as you gave it.`;
}

const seen = 'WHAT YOU SAW';
const reason = ['--reason', seen];
const givenUp = 'WHY IT IS GIVEN UP';
const whyDeclined = 'WHY IT IS DECLINED';

/** A suggestion that was pasted without filling in its placeholder: nobody has checked anything yet. */
export function isStillToFillIn(text: string): boolean {
  return text === seen || text === givenUp || text === whyDeclined;
}

/** The two decisions about an intent. Each stores what the operator saw. */
export function resolving(id: string): Suggestion[] {
  return [
    ['resolve', id, '--happened', ...reason],
    ['resolve', id, '--did-not-happen', ...reason],
  ];
}

/** What to do about an intent that may have happened and that only a person can decide. */
export function deciding({ id, heldReason }: Pick<Intent, 'id' | 'heldReason'>): Suggestion[] {
  const send = heldReason === 'approval' ? 'approve' : 'resume';
  return [['history', id], ...resolving(id), [send, id, '--yes']];
}

/** Read before `deciding`. */
export function howToDecide({ kind }: Pick<Intent, 'kind'>): string {
  const [place, twice] = kind === 'transfer' ? ['wallet', 'make'] : ['conversation', 'send'];
  return `Check the ${place} first. ${onlyIfSure} A service that no longer remembers the first request would ${twice} it twice.`;
}

/** What a wrong decision costs. */
const onlyIfSure =
  'Choose --did-not-happen only if you are sure: after that, the same command sends it again.';

/** Nothing of it may have happened, so the only question is whether it is still wanted. */
export function isUnsent(intent: Pick<Intent, 'state' | 'heldReason' | 'tainted' | 'resolvedAs'>): boolean {
  return intent.state === 'open' || isUnsentProposal(intent) || intent.resolvedAs === 'declined';
}

/** What to do about an intent that waits for approval. */
export const approving = {
  hint: 'Check the recipient and the amount. Then approve it, which sends it, or decline it:',
  next: (id: string): Suggestion[] => [['history', id], ['approve', id, '--yes'], declining(id)],
};

export function declining(id: string): Suggestion {
  return ['decline', id, '--reason', whyDeclined];
}

/** What ends an intent of which nothing was sent. */
export function givingUp(intent: Pick<Intent, 'id' | 'state' | 'heldReason' | 'resolvedAs'>): Suggestion[] {
  const { id, resolvedAs } = intent;
  if (resolvedAs === 'declined') return [];
  return isProposal(intent) ? [declining(id)] : [['resolve', id, '--did-not-happen', '--reason', givenUp]];
}

/** `Transfer 0a1b2c3d4e5f`: starts a sentence. */
export function titleOf({ kind, id }: Pick<Intent, 'kind' | 'id'>): string {
  return `${nouns[kind]} ${id}`;
}

/** The state of an intent, for the line above its details. */
type HeadlineFacts = {
  readonly kind: 'message' | 'transfer';
  readonly state: string;
  readonly resolvedAs: string | undefined;
  /** The service, or an earlier run, had already done it. */
  readonly isDoneBefore: boolean;
  /** Reported from the journal alone. */
  readonly isReplayed: boolean;
};

const nouns = { message: 'Message', transfer: 'Transfer' } as const;

export function headlineOf({ isReplayed, kind, ...standing }: HeadlineFacts): string {
  const line = `${nouns[kind]} ${stateOf(standing)}`;
  return isReplayed ? `${line}. ${nothingSentNow}` : line;
}

function stateOf({ state, resolvedAs, isDoneBefore }: Omit<HeadlineFacts, 'isReplayed' | 'kind'>): string {
  if (state === 'resolved')
    return resolvedAs === 'declined' ? resolvedAs : `resolved: ${resolvedAs?.replaceAll('-', ' ')}`;
  const already = isDoneBefore && state === 'accepted' ? 'already ' : '';
  return `${already}${state}`;
}
