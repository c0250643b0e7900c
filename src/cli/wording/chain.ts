import type { Gap } from '../../chain/listing.ts';
import type { Candidate, Search } from '../../chain/search.ts';
import type { Reason } from '../../chain/transaction.ts';
import { type ChainView, type Paid, wasRepeated } from '../../chain/verdict.ts';
import type { WalletLook } from '../../chain/wallet.ts';
import { envBot } from '../../once/connection.ts';
import { forAPerson, whatWasSeen } from '../../once/engine/decisionWords.ts';
import { formatAmount } from '../../once/entry/amount.ts';
import { type Failure, type FailureCode, failureWith } from '../../once/failures.ts';
import type { Entry } from '../../once/journal/journal.ts';
import { counted, formatDuration, iso, listed } from '../../once/phrases.ts';
import type { Suggestion } from '../../once/sentence.ts';
import { onlyIfSure, settling } from './settling.ts';

export const reasonWords: Readonly<Record<Reason, string>> = {
  'no-signature': 'no successful reply named a signature',
  'no-mint': 'no mint of the asset is set for the bot',
  'not-seen': 'the node does not show the transaction (it may be late, or lost)',
  'not-final': 'the transaction is not final yet',
  'no-answer': 'the node gave no answer that can be used',
  'not-permitted': 'the node refused the request (401 or 403)',
  'other-cluster': 'the node belongs to another cluster',
  'not-paid': 'the transaction failed, or the recipient got less, or nothing',
  unclear: 'the balances do not show exactly this payment from the wallet',
  anothers: 'the transaction belongs to another payment, or is older than this one',
};

const fixes: Partial<Record<Reason, readonly [FailureCode, string]>> = {
  'other-cluster': ['other-cluster', 'Fix the rpc-url or the cluster of the profile.'],
  'not-permitted': ['node-refused', 'The secret in its rpc-url may be missing or old: set it again.'],
};

/** The node cannot be asked, or its answer does not count. */
export function nodeTrouble(because: Reason, host: string): Failure {
  const [code, fix] = fixes[because] ?? [
    'node-unusable',
    'Check the rpc-url, or run the same command again later.',
  ];
  return failureWith(code)`The node ${host} cannot be used: ${reasonWords[because]}
    ${fix}`;
}

const noWallet = 'no wallet is set for the bot, so nothing shows whose money it was';

function why({ reasons, verdict }: Pick<ChainView, 'reasons' | 'verdict'>): string {
  const [reason] = reasons;
  if (reason !== undefined) return reasonWords[reason];
  return verdict === 'likely' ? noWallet : 'nothing more is known';
}

/** One sentence for each oddity of a payment that the chain shows. */
export function chainWarnings(entry: Entry, view: ChainView | undefined): string[] {
  const { verdict, commitment, paid, payments } = view ?? {};
  const isFinal = verdict === 'likely' && commitment === 'finalized';
  const isLess = paid !== undefined && paid.fee_units !== '0';
  return [
    ...(isFinal ? [`On the chain, ${noWallet}.`] : []),
    ...(isLess ? ['On the chain, the mint kept a fee: the recipient received less than was sent.'] : []),
    // No search has shown whether the service paid only once.
    ...(wasRepeated(entry) && payments === undefined ? [repeatedWords()] : []),
  ];
}

/** An earlier request may also have been carried out. A batch says this once, with the number of transfers. */
export function repeatedWords(transfers?: number): string {
  const whose = transfers === undefined ? '' : ` for ${counted(transfers, 'transfer')}`;
  return `The service was asked more than once${whose}; only the chain shows whether it paid once.`;
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

/** `asset` is the requested asset if the paid mint is the asset's own. */
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

export function provenOnChain({ cluster = 'unknown', slot, rpc }: ChainView): string {
  return `The chain shows it: cluster ${cluster}, slot ${slot}, as seen by ${rpc}.`;
}

export function chainWaitText(until: string, view: ChainView | undefined, leftMs: number): string {
  const stage = view === undefined ? 'asking' : (view.commitment ?? why(view));
  return `Waiting for ${until}: ${stage}; ${formatDuration(Math.max(0, Math.ceil(leftMs / 1000) * 1000))} left`;
}

export function contradicted({ id }: Entry, view: ChainView): Failure {
  return failureWith('contradicted')`
    The chain contradicts the transfer: ${why(view)} (signature ${view.signature ?? 'unknown'}, ID ${id}). This signature did not pay it; the service may have signed another one.
    Ask the service what became of it, and check the wallet:
    $ history ${id}`;
}

export function undecided({ id, state }: Entry, view: ChainView, hasTransferId: boolean): Failure {
  const { verdict, signature } = view;
  const isInDoubt = state === 'unknown' || state === 'held';
  if (isInDoubt && verdict === 'likely' && signature !== undefined)
    return failureWith('unproven', { next: [itIsThis(id, signature)] })`
      The chain shows a payment that may be this transfer: ${why(view)}. It stays ${state} (ID ${id}).
      Check the wallet. If it is this transfer, decide that it happened:`;
  return failureWith(
    'unproven',
  )`The chain has not proven the transfer: ${why(view)}. It stays ${state} (ID ${id}).
    This proves nothing either way. Look again later, or ask the service about it${hasTransferId ? ', by its transfer ID' : ''}:
    $ verify ${id}
    $ history ${id}`;
}

/** The service accepted it, and more than one such payment left the wallet. */
export function paidAgain({ id }: Entry, signatures: readonly string[]): Failure {
  return failureWith('paid-more-than-once', {
    next: [['history', id], forAPerson('resolve', id, '--happened', ...whatWasSeen)],
  })`
    The wallet made this payment more often than the journal has entries for it: ${listed(signatures)} (ID ${id}).
    Another machine or person paid the same, or this service does not honour keys.`;
}

/** `paid twice`, also after a person has noted it. */
export function timesPaid(view: ChainView | undefined): string | undefined {
  const { length: times } = view?.payments ?? [];
  return times < 2 ? undefined : times === 2 ? 'paid twice' : `paid ${times} times`;
}

/** An operator decided that it did not happen, and the chain shows that it did. */
export function provenAgainst({ id }: Entry, view: ChainView): Failure {
  return failureWith('contradicted', {
    next: [forAPerson('resolve', id, '--happened', '--reason', 'the chain proves it')],
  })`
    The chain proves the transfer (signature ${view.signature ?? 'unknown'}), but an operator decided that it did not happen (ID ${id}).
    The same command would pay it again. Decide that it happened:`;
}

/** Why a search proves nothing. Any other gap is a `Reason` of the node. */
const gapWords: Readonly<Partial<Record<Gap, string>>> = {
  'cut-short': 'The node’s list does not go back far enough, so it proves nothing.',
  'too-many': 'The search ended after 10,000 transactions, so it proves nothing.',
  'too-slow': 'The search ended after 30 seconds, so it proves nothing.',
  'paid-more':
    'Some transactions paid the recipient more, which may include this payment, so it proves nothing.',
  unclear: 'Some transactions do not show what they paid, so it proves nothing.',
};

function gapOf({ gap }: Pick<Search, 'gap'>): string[] {
  if (gap === undefined) return [];
  return [gapWords[gap] ?? `The search proves nothing: ${reasonWords[gap as Reason]}.`];
}

/** `payment` is like `1.5 SOL to 9WzD…`. */
type Searched = { readonly entry: Entry; readonly payment: string; readonly search: Search };

// Block times are whole seconds.
const blockMs = 1000;

/** One payment that may be the transfer. */
export function candidateLine({ signature, atMs, memo }: Candidate, { payment, search }: Searched): string {
  const when = atMs === undefined ? 'at an unknown time' : `at ${iso(atMs)}`;
  const early = atMs !== undefined && atMs + blockMs <= search.firstMs ? ', before the first request' : '';
  const noted = memo === undefined ? 'no memo' : `memo ${JSON.stringify(memo)}`;
  return `${payment} left the wallet ${when}${early}, with ${noted}: ${signature}`;
}

/** Without a signature nobody knows whether the transfer was made. The search decides nothing. */
export function searched({ entry, payment, search }: Searched): Failure {
  const { id, state } = entry;
  const { candidates, rivals, sinceMs, untilMs, gap } = search;
  const between = `left the wallet between ${iso(sinceMs)} and ${iso(untilMs)}, counting only finalized transactions`;
  const some = counted(candidates.length, 'payment of exactly this', 'payments of exactly this');
  const none = gap === undefined ? between : 'was found';
  const candidatesInWords =
    candidates.length === 0 ? `No payment of ${payment} ${none}.` : `${some} ${between}.`;
  const message = `Nobody knows whether the transfer was made: ${reasonWords['no-signature']}. It stays ${state} (ID ${id}). ${[candidatesInWords, ...gapOf(search)].join(' ')}`;
  if (candidates.length === 0)
    return failureWith('unproven', { next: settling(entry) })`${message}
      Ask the service too. ${onlyIfSure}`;
  const others = rivals.length === 0 ? '' : ` Equal transfers may have made some of them: ${listed(rivals)}.`;
  const looks = rivals.length === 0 ? [] : [id, ...rivals].map((each) => ['history', each]);
  return failureWith('unproven', {
    next: [...looks, ...candidates.map(({ signature }) => itIsThis(id, signature))],
  })`
    ${message}${others}
    Compare times and memos: the list alone decides nothing. If none is this transfer, look again later. If one is, decide that it happened:`;
}

/** Payments without an entry, or an incomplete look; undefined if every payment has its entry. */
export function walletFailure(
  { strays, unsigned, read, gap }: WalletLook,
  host: string,
): Failure | undefined {
  const gaps = gapOf({ gap });
  if (strays.length > 0) {
    if (gap !== undefined) gaps.unshift('There may be more.');
    const have = counted(unsigned.length, 'entry has', 'entries have');
    const some = `${have} no signature and may have made some: ${listed(unsigned)}.`;
    const message = `${counted(strays.length, 'payment', 'payments')} left the wallet without an entry in this journal.`;
    return failureWith(
      'not-in-journal',
    )`${[message, ...(unsigned.length === 0 ? [] : [some]), ...gaps].join(' ')}
      Somebody else uses the wallet or the bot’s token, or this journal has lost what it had. Ask who made them. If nobody knows, give the bot another token.`;
  }
  if (gap === undefined) return undefined;
  if (gap in fixes) return nodeTrouble(gap as Reason, host);
  const none = `The ${counted(read, 'transaction')} that could be read show no payment without an entry.`;
  return failureWith('unproven')`${[none, ...gaps].join(' ')}
    Run the same command again later, or name a node that has all blocks since then.`;
}

/** How many transfers the chain contradicts, shows paid more than once, or leaves undecided. */
export type ChainCounts = {
  readonly contradicted: number;
  readonly paidAgain: number;
  readonly undecided: number;
};

/** The end of `verify --all`, or of a batch, if some transfers are not proven. */
export function someUnproven(
  { contradicted: against, paidAgain: again, undecided: open }: ChainCounts,
  of: 'one' | 'several' = 'several',
): Failure {
  const more = open === 0 ? '' : `, and ${counted(open, 'more is', 'more are')} undecided`;
  if (again > 0) {
    const denied = against === 0 ? '' : `, and the chain contradicts ${counted(against, 'transfer')}`;
    return failureWith('paid-more-than-once')`
      The wallet paid ${counted(again, 'transfer')} more than once${denied}${more}.
      Another machine or person paid the same, or this service does not honour keys. The line of each says what left the wallet.`;
  }
  if (against > 0)
    return failureWith('contradicted')`The chain contradicts ${counted(against, 'transfer')}${more}.
      Ask the service what became of each of them.`;
  return failureWith(of === 'one' ? 'unproven' : 'some-unproven')`
    The chain has not proven ${counted(open, 'transfer')}.
    This proves nothing either way. Run the same command again later.`;
}

export function noRpcUrl(bot: string): Failure {
  return chainLacks(bot, ['rpc-url'], `The bot ${bot} names no Solana node to look up its transfers`);
}

const variables = { 'rpc-url': 'BOTCTL_RPC_URL', wallet: 'BOTCTL_WALLET' } as const;

/** A bot's missing setting belongs in its profile or, for the bot of the environment, in a variable. */
export function chainLacks(
  bot: string,
  lacks: readonly (keyof typeof variables)[],
  problem: string,
  otherwise = '',
): Failure {
  const code = lacks.includes('rpc-url') ? 'no-rpc-url' : 'no-wallet';
  if (bot === envBot)
    return failureWith(code)`${problem}
      ${otherwise}Set ${listed(lacks.map((key) => variables[key]))}, or name a profile with --profile NAME.`;
  const next = lacks.map((key) => ['config', 'set', bot, key, ...(key === 'wallet' ? ['ADDRESS'] : [])]);
  return failureWith(code, { next })`${problem}
    ${otherwise}Set what is missing, then run the same command again:`;
}

export function paysSomethingElse({ id }: Entry, view: ChainView): Failure {
  return failureWith('not-allowed-now')`
    Signature ${view.signature ?? 'unknown'} does not show that transfer ${id} happened: ${why(view)}
    Find the signature of its own payment, or leave --signature out if you know by other means.`;
}

export function signatureUnproven(view: ChainView): string {
  return `The chain does not prove the signature: ${why(view)}. It is kept as you gave it.`;
}

/** Shown before a decision if the service named a signature. */
export function askTheChain(id: string): string {
  return `The service named a signature. This asks the chain about it, and records that it happened if that is proven: botctl verify ${id}`;
}

function itIsThis(id: string, signature: string): Suggestion {
  return forAPerson('resolve', id, '--happened', '--signature', signature, ...whatWasSeen);
}

/** Adding only --sandbox would change the journal too, so the command names this one. */
export function ofTheSandbox({ id }: Entry, command: string, journal: string): Failure {
  return failureWith('bot-moved')`This entry belongs to the sandbox
    Add --sandbox.
    $ ${command} ${id} --sandbox --journal ${journal}`;
}
