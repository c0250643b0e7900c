import { chainViewOf } from '../../chain/paidAgain.ts';
import type { Look } from '../../chain/verdict.ts';
import { judgeNow, settle, signaturesOf } from '../../chain/verify.ts';
import { lastDecision } from '../../once/engine/decisions.ts';
import { noteAccepted, resolveEntry, reverses } from '../../once/engine/resume.ts';
import { isSignature } from '../../once/entry/signature.ts';
import { Failure, failureWith } from '../../once/failures.ts';
import type { Decision, Entry, Journal } from '../../once/journal/journal.ts';
import type { App } from '../app.ts';
import { whoDecides } from '../open/journal.ts';
import type { Run } from '../parse/command.ts';
import { type ChainsOfEntries, chainsOfEntries, searchOf, tellSearch } from '../run/chain.ts';
import { confirmed, decideEach, reasonOf, reversing } from '../run/deciding.ts';
import { askTheChain, paysSomethingElse, signatureUnproven, timesPaid } from '../wording/chain.ts';
import type { ResolveArgs } from './resolve.spec.ts';

export const run: Run<ResolveArgs> = async (app) => {
  const wanted = parse(app.args);
  return decideEach(app, async (asShown, journal, asks, decides) => {
    const seen = asShown.entry;
    const decision: Decision = { ...wanted, atMs: journal.clock.now() };
    if (asks || reverses(decision, seen)) {
      const earlier = await lastDecision(seen.id, journal.reads);
      const ask = `Decide now that it ${decision.kind === 'happened' ? 'happened' : 'did not happen'}?`;
      if (decision.signature === undefined) await showSearch(seen, app, journal);
      await confirmed(reversing(seen, earlier, ask), app);
    }
    const look = await lookAtSignature(seen, decision, app, journal);
    decides();
    const decide = (await isNote(decision, seen, journal)) ? noteAccepted : resolveEntry;
    const entry = await decide(asShown, decision, journal);
    if (look !== undefined) await settle(look, seen, journal, 'nothing');
    return entry;
  });
};

/** Whether the decision only notes that an accepted payment was made more than once. */
async function isNote({ kind, signature }: Decision, entry: Entry, { reads }: Journal): Promise<boolean> {
  if (entry.state !== 'accepted' || kind !== 'happened' || signature !== undefined) return false;
  return timesPaid(await chainViewOf(entry, reads)) !== undefined;
}

/** Before the question, shows payments from the wallet that may be this transfer. */
async function showSearch(entry: Entry, app: App<ResolveArgs>, journal: Journal): Promise<void> {
  const { display } = app;
  if (entry.kind !== 'transfer' || app.args.flag('yes') || display.terminal() === 'none') return;
  const chains = chainsOfEntries(app);
  try {
    const search = await searchOf(entry, chains, journal);
    if (search !== undefined) display.notice(tellSearch(entry, search, display).message);
    else if (entry.state !== 'accepted' && (await signaturesOf(entry, journal.reads)).length > 0) {
      await chains.of(entry);
      display.notice(askTheChain(entry.id));
    }
  } catch (thrown) {
    // The question can be answered without a node.
    if (!(thrown instanceof Failure)) throw thrown;
  }
}

function parse(args: ResolveArgs): Omit<Decision, 'atMs'> {
  const happened = args.flag('happened');
  if (happened === args.flag('did-not-happen')) {
    throw failureWith('usage')`A decision is either --happened or --did-not-happen
      Give exactly one of them.`;
  }
  const reason = reasonOf(args);
  const signature = args.text('signature');
  if (signature !== undefined && !happened)
    throw failureWith('usage')`--signature works only with --happened
      A transfer that did not happen has no signature.`;
  if (signature !== undefined && !isSignature(signature))
    throw failureWith('usage')`
      --signature ${JSON.stringify(signature)} is not a transaction’s signature (64 bytes in base58)
      Copy it whole from the explorer, or leave it out.`;
  return {
    kind: happened ? 'happened' : 'did-not-happen',
    who: whoDecides(),
    reason,
    signature,
  };
}

/**
 * Looks up the operator's signature, if a node is known. Refuses a signature that paid something else or belongs to
 * another entry.
 */
async function lookAtSignature(
  entry: Entry,
  { kind, signature }: Decision,
  app: App<ResolveArgs>,
  journal: Journal,
): Promise<Look | undefined> {
  if (kind !== 'happened' || signature === undefined || entry.kind !== 'transfer') return undefined;
  const look = await lookFor(entry, signature, chainsOfEntries(app));
  if (look === undefined) return undefined;
  const view = await judgeNow(look, entry, journal.reads);
  if (view.verdict === 'contradicted' || view.reasons.includes('anothers'))
    throw paysSomethingElse(entry, view);
  if (view.verdict !== 'proven') app.display.warn(signatureUnproven(view));
  return look;
}

async function lookFor(entry: Entry, signature: string, chains: ChainsOfEntries): Promise<Look | undefined> {
  try {
    const { node, paymentOf } = await chains.of(entry);
    const payment = paymentOf(entry);
    if (payment === undefined) return undefined;
    const statuses = await node.statusesOf([signature]);
    const lookup = await node.lookUp(signature, statuses, 'confirmed');
    return { signature, lookup, payment, host: node.host };
  } catch (thrown) {
    // No node is configured, so the operator's word is all there is.
    if (thrown instanceof Failure && thrown.code === 'no-rpc-url') return undefined;
    throw thrown;
  }
}
