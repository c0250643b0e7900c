import { clocksMs } from '../../chain/search.ts';
import { lookAtWallet, type Stray } from '../../chain/wallet.ts';
import { type Exit, failureWith, interrupted } from '../../once/failures.ts';
import { journalFailure } from '../../once/journal/failures.ts';
import type { Reads } from '../../once/journal/journal.ts';
import { counted, iso, isoExact, listed } from '../../once/phrases.ts';
import type { App } from '../app.ts';
import { type Moment, msOf } from '../bot/settings.ts';
import { isEmptyFile, isThere, shownLocation } from '../open/journal.ts';
import { botWithWallet, type WithWallet } from '../run/balance.ts';
import { openChain } from '../run/chain.ts';
import { tellEnd } from '../run/telling.ts';
import { card, type Fact } from '../show/card.ts';
import { walletFailure } from '../wording/chain.ts';
import type { VerifyArgs } from './verify.spec.ts';

/** Looks for payments from the wallet that have no entry. It decides and remembers nothing. */
export async function verifyWallet(since: Moment | undefined, app: App<VerifyArgs>): Promise<Exit> {
  const { display, interrupts } = app;
  const bot = await botWithWallet(app, 'its wallet cannot be compared with the journal');
  const where = await app.where();
  const isEmpty = where.is === 'file' && isEmptyFile(where.path);
  if (isEmpty || !isThere(where)) throw journalFailure('no-journal', { path: await shownLocation(where) });
  const { reads, clock } = await app.journal('look');
  const sinceMs = since === undefined ? (await firstMs(reads)) - clocksMs : msOf(since, clock.now());
  const { node } = await openChain(bot, app, { isPatient: true });
  const { wallet } = bot.chain;
  const looking = { wallet, sinceMs, node, isOver: () => interrupts.first.aborted };
  const look = await display.waiting('Reading what left the wallet', lookAtWallet(looking, reads));
  if (interrupts.first.aborted) throw interrupted('before the wallet was read to the end');
  const { strays, read, gap, unsigned } = look;
  const fields = strays.map(({ atMs, ...stray }) => ({ ...stray, at: atMs && isoExact(atMs) }));
  const failure = walletFailure(look, node.host);
  const view = card(
    app.args.command,
    failure === undefined ? 'Every payment that left the wallet has its entry.' : undefined,
    [
      ['Wallet', wallet, { wallet, cluster: node.clusterName, rpc: node.host }],
      ['Since', iso(sinceMs), { since: isoExact(sinceMs) }],
      ['Read', `${counted(read, 'transaction')}, as seen by ${node.host}`, { read, gap }],
      ...strays.map((stray): Fact => ['Payment', strayLine(stray, bot)]),
      ['', undefined, { not_in_journal: fields, without_signature: unsigned }],
    ],
  );
  return tellEnd(view, failure, display);
}

async function firstMs({ select }: Pick<Reads, 'select'>): Promise<number> {
  for await (const { createdAtMs } of select({ oldestFirst: true, limit: 1 })) return createdAtMs;
  throw failureWith('usage')`The journal has no entry, so it does not say how far back to look
    Add --since, such as --since 7d.`;
}

function strayLine({ signature, atMs, paid }: Stray, { chain: { assets } }: WithWallet): string {
  const payments = paid.map(({ mint, amount, to }) => {
    const name = Object.keys(assets).find((each) => assets[each] === mint) ?? `of ${mint}`;
    return `${amount} ${mint === undefined ? 'SOL' : name} to ${listed(to)}`;
  });
  return `${listed(payments)}, ${atMs === undefined ? 'at an unknown time' : iso(atMs)}: ${signature}`;
}
