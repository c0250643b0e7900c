import { BatchPace } from '../batch/pace.ts';
import type { Look } from '../chain/proof.ts';
import { judgeUnsettled, settle } from '../chain/settle.ts';
import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import { Failure } from '../errors.ts';
import type { Decision, Intent, Journal } from '../journal/journal.ts';
import { paysSomethingElse, signatureUnproven } from '../words/chain.ts';
import { ChainsOfIntents } from './chainsOfIntents.ts';

/** What an operator's signature shows, to be kept once the decision is. */
type Looked = { keep(): Promise<void> };

/**
 * Looks at the signature that an operator names, where a node is named that could show it: one that paid something
 * else, or somebody else's intent, is refused.
 */
export async function lookAtSignature(
  intent: Intent,
  { kind, signature }: Decision,
  given: Given,
  context: Context,
  journal: Journal,
): Promise<Looked | undefined> {
  if (kind !== 'happened' || signature === undefined || intent.kind !== 'transfer') return undefined;
  const chains = new ChainsOfIntents(given, context, new BatchPace(context.clock));
  try {
    const look = await lookFor(intent, signature, chains);
    if (look === undefined) return undefined;
    const view = await judgeUnsettled(look, intent.id, journal);
    if (view.verdict === 'contradicted') throw paysSomethingElse(intent, view);
    if (view.verdict !== 'proven') context.display.warn(signatureUnproven(view));
    return {
      keep: async () => {
        await settle(look, intent.id, journal, 'nothing');
      },
    };
  } finally {
    await chains.close();
  }
}

async function lookFor(
  intent: Intent,
  signature: string,
  chains: ChainsOfIntents,
): Promise<Look | undefined> {
  try {
    const { nodes, cluster, paymentOf } = await chains.of(intent);
    const payment = paymentOf(intent);
    if (payment === undefined) return undefined;
    const statuses = await nodes.statusesOf([signature]);
    const sighting = await nodes.sight(signature, statuses, 'confirmed');
    return { signature, sighting, payment, cluster, hosts: nodes.hosts };
  } catch (thrown) {
    // Nobody has named a node: the operator's word is all there is.
    if (thrown instanceof Failure && thrown.code === 'no-rpc-url') return undefined;
    throw thrown;
  }
}
