import type { Look } from '../../chain/verdict.ts';
import { judgeNow, settle, signaturesOf } from '../../chain/verify.ts';
import { lastDecision } from '../../once/engine/approval.ts';
import { resolveIntent, reverses } from '../../once/engine/resume.ts';
import { Failure, told } from '../../once/failures.ts';
import { isSignature } from '../../once/intent/signature.ts';
import type { Decision, Intent, Journal } from '../../once/journal/journal.ts';
import type { Context, Run } from '../parse/command.ts';
import type { ResolveArgs } from '../parse/sendingSpecs.ts';
import { askTheChain, paysSomethingElse, signatureUnproven } from '../say/chain.ts';
import { type ChainsOfIntents, chainsOfIntents, searchOf, tellSearch } from './chain.ts';
import { confirmDecision, decideEach, reasonOf, reversing } from './deciding.ts';
import { whileOpen, whoDecides } from './openJournal.ts';

export const run: Run<ResolveArgs> = async (given, context) => {
  const wanted = parse(given);
  return decideEach(given, context, async (shown, journal, asks, decides) => {
    const found = shown.intent;
    const decision: Decision = { ...wanted, atMs: journal.clock.now() };
    if (asks || reverses(decision, found)) {
      const earlier = await lastDecision(found.id, journal.reads);
      const ask = `Decide now that it ${decision.kind === 'happened' ? 'happened' : 'did not happen'}?`;
      if (decision.signature === undefined) await showSearch(found, given, context, journal);
      await confirmDecision(() => reversing(found, earlier, ask), given, context);
    }
    const look = await lookAtSignature(found, decision, given, context, journal);
    decides();
    const intent = await resolveIntent(shown, decision, journal);
    await look?.keep();
    return intent;
  });
};

/** For who is asked: what left the wallet and may be this transfer. */
async function showSearch(
  intent: Intent,
  given: ResolveArgs,
  context: Context,
  journal: Journal,
): Promise<void> {
  const { display } = context;
  if (intent.kind !== 'transfer' || given.flag('yes') || display.terminal() === 'none') return;
  await whileOpen(chainsOfIntents(given, context), async (chains) => {
    const search = await searchOf(intent, chains, journal);
    if (search !== undefined) display.notice(tellSearch(intent, search, display).message);
    else if ((await signaturesOf(intent, journal.reads)).length > 0) {
      await chains.of(intent);
      display.notice(askTheChain(intent.id));
    }
  }).catch((thrown: unknown) => {
    // The question can be answered without a node.
    if (!(thrown instanceof Failure)) throw thrown;
  });
}

function parse(given: ResolveArgs): Omit<Decision, 'atMs'> {
  const happened = given.flag('happened');
  if (happened === given.flag('did-not-happen')) {
    throw told('usage')`A decision is either --happened or --did-not-happen
      Give exactly one of them.`;
  }
  const reason = reasonOf(given);
  const signature = given.text('signature');
  if (signature !== undefined && !happened)
    throw told('usage')`--signature works only with --happened
      A transfer that did not happen has no signature.`;
  if (signature !== undefined && !isSignature(signature))
    throw told('usage')`
      --signature ${JSON.stringify(signature)} is not a transaction’s signature (64 bytes in base58)
      Copy it whole from the explorer, or leave it out.`;
  return {
    kind: happened ? 'happened' : 'did-not-happen',
    who: whoDecides(),
    reason,
    signature,
  };
}

/** What the operator's signature shows, stored after the decision. */
type Looked = { keep(): Promise<void> };

/**
 * Looks up the signature that an operator names, if a node can show it. Refuses one that paid something else or belongs
 * to another intent.
 */
async function lookAtSignature(
  intent: Intent,
  { kind, signature }: Decision,
  given: ResolveArgs,
  context: Context,
  journal: Journal,
): Promise<Looked | undefined> {
  if (kind !== 'happened' || signature === undefined || intent.kind !== 'transfer') return undefined;
  return whileOpen(chainsOfIntents(given, context), async (chains) => {
    const look = await lookFor(intent, signature, chains);
    if (look === undefined) return undefined;
    const view = await judgeNow(look, intent, journal.reads);
    if (view.verdict === 'contradicted' || view.reasons.includes('anothers'))
      throw paysSomethingElse(intent, view);
    if (view.verdict !== 'proven') context.display.warn(signatureUnproven(view));
    return {
      keep: async () => {
        await settle(look, intent, journal, 'nothing');
      },
    };
  });
}

async function lookFor(
  intent: Intent,
  signature: string,
  chains: ChainsOfIntents,
): Promise<Look | undefined> {
  try {
    const { node, paymentOf } = await chains.of(intent);
    const payment = paymentOf(intent);
    if (payment === undefined) return undefined;
    const statuses = await node.statusesOf([signature]);
    const sighting = await node.sight(signature, statuses, 'confirmed');
    return { signature, sighting, payment, host: node.host };
  } catch (thrown) {
    // No node is configured, so the operator's word is all there is.
    if (thrown instanceof Failure && thrown.code === 'no-rpc-url') return undefined;
    throw thrown;
  }
}
