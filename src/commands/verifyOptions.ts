import type { Given } from '../cli/given.ts';
import { acknowledgeWithReason, whichToVerify, withAllOnly } from '../words/chainOptions.ts';
import { notASince } from '../words/history.ts';
import { durationRule } from '../words/settings.ts';
import { rateOf } from './rate.ts';

export type VerifyOptions =
  | { readonly is: 'acknowledge'; readonly reason: string }
  | { readonly is: 'named'; readonly perS: number | undefined }
  | { readonly is: 'all'; readonly perS: number | undefined; readonly agoMs: number | undefined };

export function verifyOptions(given: Given, parse: (text: string) => number | undefined): VerifyOptions {
  const all = given.flag('all');
  if (all === given.args.length > 0) throw whichToVerify(all);
  const reason = given.text('reason')?.trim() ?? '';
  const acknowledges = given.flag('acknowledge');
  if (acknowledges !== (reason !== '') || (acknowledges && all)) throw acknowledgeWithReason();
  if (acknowledges) return { is: 'acknowledge', reason };
  const since = given.text('since');
  if (since !== undefined && !all) throw withAllOnly('since');
  const perS = rateOf(given);
  if (!all) return { is: 'named', perS };
  const agoMs = since === undefined ? undefined : parse(since);
  if (since !== undefined && agoMs === undefined) throw notASince(since, durationRule);
  return { is: 'all', perS, agoMs };
}
