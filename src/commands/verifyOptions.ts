import { type Moment, parseMoment } from '../bot/moment.ts';
import type { Given } from '../cli/given.ts';
import { acknowledgeWithReason, whichToVerify, withAllOnly } from '../words/chainOptions.ts';
import { notAMoment } from '../words/history.ts';
import { rateOf } from './rate.ts';

export type VerifyOptions =
  | { readonly is: 'acknowledge'; readonly reason: string }
  | { readonly is: 'named'; readonly perS: number | undefined }
  | { readonly is: 'all'; readonly perS: number | undefined; readonly since: Moment | undefined };

export function verifyOptions(given: Given): VerifyOptions {
  const all = given.flag('all');
  if (all === given.args.length > 0) throw whichToVerify(all);
  const reason = given.text('reason')?.trim() ?? '';
  const acknowledges = given.flag('acknowledge');
  if (acknowledges !== (reason !== '') || (acknowledges && all)) throw acknowledgeWithReason();
  if (acknowledges) return { is: 'acknowledge', reason };
  const text = given.text('since');
  if (text !== undefined && !all) throw withAllOnly('since');
  const perS = rateOf(given);
  if (!all) return { is: 'named', perS };
  const since = text === undefined ? undefined : parseMoment(text, { edge: 'begins', isLocal: false });
  if (text !== undefined && since === undefined) throw notAMoment('since', text);
  return { is: 'all', perS, since };
}

export function sinceOf(moment: Moment, nowMs: number): number {
  return 'atMs' in moment ? moment.atMs : nowMs - moment.agoMs;
}
