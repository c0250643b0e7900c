import { isTokenProgram, systemProgram } from '../../../once/chain/transaction.ts';
import { type Bot, type ChainProfile, envBot } from '../../../once/connection.ts';
import type { Context, ParsedArgs } from '../../parse/command.ts';
import { balanceText } from '../../say/balance.ts';
import * as say from '../../say/doctor.ts';
import { inWords } from '../../say/inWords.ts';
import { balanceTimeoutMs } from '../balances.ts';
import { type OpenedChain, openChain } from '../chain.ts';
import { settingsOf } from '../openJournal.ts';
import { type Finding, fail, failed, ok, warn } from './findings.ts';

/** Asks the profile's nodes whether cluster, mints and wallet belong together, and what the wallet holds. */
export async function chainFindings(
  bot: Pick<Bot, 'name' | 'chain' | 'settings'>,
  given: ParsedArgs,
  context: Context,
): Promise<readonly Finding[]> {
  const { name, chain } = bot;
  if (chain === undefined) return name === envBot ? [] : [ok('chain', say.noNode)];
  const { timeoutMs = balanceTimeoutMs } = settingsOf(given);
  let opened: OpenedChain;
  try {
    opened = await openChain(bot, given, context, { timeoutMs });
  } catch (thrown) {
    return [failed('chain', await inWords(thrown))];
  }
  try {
    return await context.display.waiting(say.askingNode, findingsOf(name, chain, opened));
  } finally {
    await opened.close();
  }
}

/** All is asked at once. What a node of another cluster says is not shown. */
async function findingsOf(name: string, chain: ChainProfile, { nodes }: OpenedChain): Promise<Finding[]> {
  const [other, ...rest] = await Promise.all([
    nodes.ofAnother(),
    ...Object.entries(chain.assets).map(async ([asset, mint]): Promise<Finding[]> => {
      const isMint = await nodes.isMint(mint);
      if (isMint === undefined) return [warn('mint', say.mintUnknown(asset))];
      return isMint ? [] : [fail('mint', say.notTheMint(asset, mint, name))];
    }),
    walletFindings(name, chain, nodes),
  ]);
  const { cluster } = chain;
  if (other?.because === 'other-cluster')
    return [fail('chain', say.notOfCluster(name, other.host, cluster.name))];
  if (other !== undefined) return [warn('chain', say.nodeSilent(other.host, other.because))];
  return [ok('chain', say.nodesOfCluster(nodes.hosts, cluster.name)), ...rest.flat()];
}

async function walletFindings(
  name: string,
  { wallet, assets, cluster }: ChainProfile,
  nodes: OpenedChain['nodes'],
): Promise<Finding[]> {
  if (wallet === undefined) return [ok('wallet', say.noWalletNamed)];
  const wanted = [{ asset: 'SOL' }, ...Object.entries(assets).map(([asset, mint]) => ({ asset, mint }))];
  const [owner, holdings] = await Promise.all([nodes.ownerOf(wallet), nodes.holdings(wallet, wanted)]);
  if (owner !== undefined && isTokenProgram(owner)) return [fail('wallet', say.notAWallet(name, wallet))];
  if (owner !== undefined && owner !== 'none' && owner !== systemProgram)
    return [warn('wallet', say.ownedByProgram(wallet, owner))];
  const text = balanceText({ is: 'asked', hosts: nodes.hosts, holdings });
  const isUnknown = holdings.some(({ held }) => 'because' in held);
  if (isUnknown) return [warn('balance', say.balanceUncertain(text))];
  const isEmpty = holdings.every(({ held }) => 'units' in held && held.units === 0n);
  return [isEmpty ? warn('balance', say.emptyWallet(wallet, cluster.name)) : ok('balance', text)];
}
