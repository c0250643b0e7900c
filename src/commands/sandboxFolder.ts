import { resolve } from 'node:path';
import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import type { View } from '../display/display.ts';
import { safeLine } from '../display/safeText.ts';
import type { Exit } from '../errors.ts';
import { fundFolder, resetFolder } from '../sandbox/dataFolder.ts';
import { formatAmountOf } from '../words/amount.ts';
import { diskTrouble } from '../words/disk.ts';
import {
  cannotFund,
  emptyData,
  folderNotUsable,
  fundedSandbox,
  noAmountToFund,
  noSuchAction,
  notForAction,
  resetSandbox,
} from '../words/sandbox.ts';
import { sandboxFolder } from './journalPath.ts';

type Balances = ReturnType<typeof resetFolder>;

const serving = ['port', 'seed', 'fault-rate'];
const funding = ['asset', 'amount', 'to'];

/** What is done to the folder itself, whether or not somebody serves it. */
export async function run(given: Given, { display, env }: Context): Promise<Exit> {
  const [action = ''] = given.args;
  if (action !== 'reset' && action !== 'fund') throw noSuchAction(action);
  const foreign = [...serving, ...(action === 'reset' ? funding : [])].find(
    (name) => given.text(name) !== undefined,
  );
  if (foreign !== undefined || given.flag('ephemeral')) throw notForAction(foreign ?? 'ephemeral', action);
  const data = given.text('data');
  if (data === '') throw emptyData();
  const folder = resolve(data ?? sandboxFolder(env));
  await display.show(action === 'reset' ? reset(folder) : fund(folder, given));
  return 0;
}

function reset(folder: string): View {
  const balances = inFolder(folder, () => resetFolder(folder));
  return view({ data: folder, balances }, resetSandbox(safeLine(folder), listed(balances)));
}

function fund(folder: string, given: Given): View {
  const amount = given.text('amount');
  if (amount === undefined) throw noAmountToFund();
  const asset = given.text('asset') ?? 'SOL';
  const wanted = { address: given.text('to'), asset, amount };
  const funded = inFolder(folder, () => fundFolder(folder, wanted));
  if (funded.kind === 'problem') throw cannotFund(funded.problem);
  const { address, balances } = funded;
  return view({ data: folder, address, balances }, fundedSandbox(address, listed(balances)));
}

function view(told: { data: string; balances: Balances; address?: string }, sentence: string): View {
  return {
    json: { schema: 'botctl/1', command: 'sandbox', ...told },
    human: () => `${sentence}\n`,
    quiet: listed(told.balances),
  };
}

const listed = (balances: Balances): string =>
  balances.map(({ asset, amount }) => formatAmountOf(amount, asset)).join(', ');

function inFolder<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw folderNotUsable(folder, diskTrouble(cause), cause);
  }
}
