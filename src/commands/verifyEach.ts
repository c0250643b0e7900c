import { mostSignatures, type Statuses } from '../chain/nodes.ts';
import type { ChainView, Look } from '../chain/proof.ts';
import { judgeUnsettled, settle } from '../chain/settle.ts';
import { isAgainst, isSettled, standingOf } from '../chain/standing.ts';
import type { Intent, Journal } from '../journal/journal.ts';
import { provenOnChain } from '../words/chain.ts';
import type { ChainsOfIntents } from './chainsOfIntents.ts';
import type { OpenedChain } from './openChain.ts';
import { signaturesOf, unseen } from './waitForChain.ts';

export type Verified = { readonly intent: Intent; readonly view: ChainView };

type Asked = {
  readonly intent: Intent;
  readonly chain: OpenedChain;
  readonly signatures: readonly string[];
};

const mostAtATime = 8;

/**
 * Looks at the chain for each of these: one question for the states of many, then one for each that is there. Several
 * are looked for at a time, and told in the order in which they were given.
 */
export async function verifyEach(
  intents: readonly Intent[],
  chains: Pick<ChainsOfIntents, 'of'>,
  journal: Journal,
  onEach: (verified: Verified) => Promise<void>,
): Promise<void> {
  const asked: Asked[] = [];
  for (const intent of intents) {
    const chain = await chains.of(intent);
    asked.push({ intent, chain, signatures: await signaturesOf(intent, journal.reads) });
  }
  const statuses = await statusesOf(asked);
  const looks: Promise<Verified>[] = [];
  const tellNext = async (): Promise<void> => {
    const next = await looks.shift();
    if (next !== undefined) await onEach(next);
  };
  for (const one of asked) {
    if (looks.length === mostAtATime) await tellNext();
    const look = verifyOne(one, statuses.get(one.chain), journal);
    // Its failure is heard when its turn comes, or never if another one came first.
    look.catch(() => {});
    looks.push(look);
  }
  while (looks.length > 0) await tellNext();
}

async function statusesOf(asked: readonly Asked[]): Promise<Map<OpenedChain, Statuses>> {
  const found = new Map<OpenedChain, Statuses>();
  for (const { chain } of asked) {
    if (found.has(chain)) continue;
    const own = asked.filter((one) => one.chain === chain).flatMap(({ signatures }) => signatures);
    const statuses = new Map<string, Statuses extends ReadonlyMap<string, infer Each> ? Each : never>();
    for (let from = 0; from < own.length; from += mostSignatures) {
      const page = await chain.nodes.statusesOf(own.slice(from, from + mostSignatures));
      for (const [signature, status] of page) statuses.set(signature, status);
    }
    found.set(chain, statuses);
  }
  return found;
}

async function verifyOne(
  { intent, chain, signatures }: Asked,
  statuses: Statuses = new Map(),
  journal: Journal,
): Promise<Verified> {
  const known = standingOf(await journal.reads.observationsOf(intent.id));
  if (known.view !== undefined && isSettled(known)) return { intent, view: known.view };
  const payment = chain.paymentOf(intent);
  if (payment === undefined) return { intent, view: unseen(chain, 'no-mint') };
  let view: ChainView = unseen(chain, 'no-signature');
  const looks: { look: Look; saw: ChainView }[] = [];
  for (const signature of signatures) {
    const sighting = await chain.nodes.sight(signature, statuses, 'confirmed');
    const look: Look = { signature, sighting, payment, cluster: chain.cluster, hosts: chain.nodes.hosts };
    const expected = await judgeUnsettled(look, intent.id, journal);
    view = expected.verdict === 'proven' ? await settle(look, intent.id, journal, provenOnChain) : expected;
    if (view.verdict === 'proven') return { intent: await asItStands(intent, journal), view };
    looks.push({ look, saw: view });
  }
  // The latest look counts: what speaks against one signature must not end it while another is undecided.
  looks.sort((one, other) => rankOf(one.saw) - rankOf(other.saw));
  for (const { look } of looks) view = await settle(look, intent.id, journal, provenOnChain);
  return { intent: await asItStands(intent, journal), view };
}

function rankOf(view: ChainView): number {
  if (isAgainst(view)) return 0;
  return view.verdict === 'likely' ? 1 : 2;
}

async function asItStands(intent: Intent, { reads }: Journal): Promise<Intent> {
  return (await reads.get(intent.id)) ?? intent;
}
