import type { Decision, Entry, Journal, Transaction, Work } from '../journal/journal.ts';
import { actOn, type Step } from './act.ts';
import { refuseMoved } from './answers.ts';
import { type EntryAsShown, refuseChanged } from './asShown.ts';
import { untilClaimed } from './claim.ts';
import type { EngineContext } from './context.ts';
import type { Undecided } from './decide.ts';
import { keepDecision, lastDecision, refuseTaken, roleThatMayNot } from './decisions.ts';
import { carryOut } from './execute.ts';
import { engineFailure } from './failures.ts';
import { concluded, mustFind, type Outcome } from './outcome.ts';
import { whyHold } from './plan.ts';
import { isApprovedAndUnsent, isBeingSent, isOver, isProposal } from './standing.ts';

/** Sends a known entry with its own key and bytes, as far as the rules and a person's decision allow. */
export async function resume(
  asShown: EntryAsShown,
  engine: EngineContext,
  decision: Decision | undefined,
): Promise<Outcome> {
  const again = (tx: Transaction): Promise<Step> => takeUp(asShown, tx, engine, decision);
  const step = await untilClaimed(() => engine.commit(again, { beforeSending: true }), engine);
  return step.is === 'claim' ? carryOut(step, engine) : step;
}

async function takeUp(
  asShown: EntryAsShown,
  tx: Transaction,
  engine: EngineContext,
  decision: Decision | undefined,
): Promise<Step> {
  const { id } = asShown.entry;
  await tx.recordDeath(id, engine.clock.now());
  const entry = mustFind(await tx.get(id));
  if (isOver(entry)) return concluded(entry, tx, true);
  // If another process changed it meanwhile, go on as if no decision had been given.
  const said = entry.state === 'held' ? decision : undefined;
  if (said !== undefined) await refuseChanged(asShown, entry, tx);
  return actOn(planToResume(entry, said, engine), entry, tx, engine, { decision: said });
}

function planToResume(entry: Entry, said: Decision | undefined, engine: EngineContext): Undecided {
  if (entry.state === 'sending') return { is: 'wait', entry };
  if (entry.state === 'open') return { is: 'send-same-key', entry };
  if (entry.state === 'held')
    return { is: said === undefined || isProposal(entry) ? 'needs-decision' : 'retry', entry };
  const why = whyHold(entry, engine);
  return why === undefined ? { is: 'retry', entry } : { is: 'hold', entry, why };
}

/** Refuses an entry that waits for a person's approval: it can be neither resumed nor resolved. */
export function refuseProposal(entry: Entry): void {
  if (isProposal(entry)) throw engineFailure('is-proposal', { id: entry.id });
}

/** Records that a person knows that an accepted entry was done more than once. Its state does not change. */
export async function noteAccepted(
  asShown: EntryAsShown,
  decision: Decision,
  journal: Journal,
): Promise<Entry> {
  return journal.commit(decideOn(asShown, decision, journal, async () => decision));
}

/** Records an operator's decision about what happened. The latest decision counts. Refuses if the journal has proof. */
export async function resolveEntry(
  asShown: EntryAsShown,
  decision: Decision,
  journal: Journal,
): Promise<Entry> {
  const work = decideOn(asShown, decision, journal, async (entry, tx) => {
    const { id, state, resolvedAs } = entry;
    refuseWhatIsProven(entry);
    refuseProposal(entry);
    if (isApprovedAndUnsent(entry)) throw engineFailure('is-approved', { id });
    if (state === 'declined')
      throw engineFailure('proposal-declined', { id, declined: await lastDecision(id, tx) });
    await refuseTaken(entry, decision, tx);
    // Another person may have made the same decision meanwhile.
    return resolvedAs === decision.kind && asShown.entry.resolvedAs !== resolvedAs ? undefined : decision;
  });
  return journal.commit(work);
}

type ProposalDecision = Decision & { readonly kind: 'approved' | 'declined' };

/** Records that a person approves or declines a proposal. An approved payment can be declined until it is paid. */
export async function decideProposal(
  asShown: EntryAsShown,
  decision: ProposalDecision,
  journal: Journal,
): Promise<Entry> {
  return journal.commit(ofProposal(asShown, decision, journal));
}

/** The same for many entries. If one has changed since it was shown, the others are still decided. */
export async function decideProposals(
  asShown: readonly EntryAsShown[],
  decision: ProposalDecision,
  journal: Journal,
): Promise<readonly PromiseSettledResult<Entry>[]> {
  return journal.commitTogether(
    asShown.map((one) => ({ work: ofProposal(one, decision, journal), guards: {} })),
  );
}

function ofProposal(asShown: EntryAsShown, decision: ProposalDecision, journal: Journal): Work<Entry> {
  const { role } = journal;
  return decideOn(asShown, decision, journal, async (entry, tx) => {
    const { id, state, approved, wasInDoubt: inDoubt, fingerprint } = entry;
    const isUnpaid = state === 'open' || state === 'rejected';
    // Every approval is kept while the payment may still be sent: some policies count only another role's approval.
    const isSaid = decision.kind === 'approved' ? approved && !isUnpaid : state === 'declined';
    if (isSaid) return undefined;
    if (state === 'declined')
      throw engineFailure('proposal-declined', { id, declined: await lastDecision(id, tx) });
    if (!isProposal(entry) && !(isUnpaid && approved))
      throw engineFailure('not-a-proposal', { id, state, inDoubt });
    if (decision.kind === 'approved' && role !== undefined && role === (await roleThatMayNot(id, tx)))
      throw engineFailure('needs-another-role', { id, role });
    return { ...decision, fingerprint };
  });
}

/** Decides about an entry as it is in the commit. `decide` returns nothing if that is decided already. */
function decideOn(
  asShown: EntryAsShown,
  { atMs }: Decision,
  journal: Journal,
  decide: (entry: Entry, tx: Transaction) => Promise<Decision | undefined>,
): Work<Entry> {
  const { id } = asShown.entry;
  return async (tx) => {
    await tx.recordDeath(id, atMs);
    const entry = mustFind(await tx.get(id));
    const decided = await decide(entry, tx);
    if (decided === undefined) return entry;
    await refuseMoved(tx, journal);
    // Another approval of an approved entry changes only who approved it.
    if (decided.kind !== 'approved' || !entry.approved) await refuseChanged(asShown, entry, tx);
    await keepDecision(entry, decided, tx);
    return (await tx.get(id)) ?? entry;
  };
}

function refuseWhatIsProven(entry: Entry): void {
  const { id, state } = entry;
  if (isBeingSent(entry)) throw engineFailure('being-sent', { id });
  if (state === 'accepted' || state === 'rejected') throw engineFailure('proven', { id, state });
}

export function reverses({ kind }: Decision, { state, resolvedAs }: Entry): boolean {
  return state === 'resolved' && resolvedAs !== kind;
}
