import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Given } from '../cli/given.ts';
import { reportFormatOf } from '../display/rowReportText.ts';
import { namingFrom } from '../intent/naming.ts';
import { again } from '../words/again.ts';
import { inputAndTokenFromStdin, namelessBatch, notACount, reportIsInput } from '../words/batchOptions.ts';
import { isoMonth } from '../words/time.ts';
import { plainName } from './batchAgain.ts';
import { rateOf } from './rate.ts';

export type BatchOptions = {
  readonly path: string;
  readonly name: string;
  readonly concurrency: number;
  readonly ratePerS: number | undefined;
  readonly maxFailures: number | undefined;
  readonly skipInvalid: boolean;
  readonly report: string | undefined;
  readonly changedFile: boolean;
};

const mostAtATime = 256;

export function batchOptions(given: Given, nowMs: number): BatchOptions {
  const [path = ''] = given.args;
  refuseSharedStdin(path, given);
  const report = given.text('report');
  if (report !== undefined) refuseReport(report, path);
  return {
    path,
    name: nameOf(given, path, nowMs),
    concurrency: wholeNumber(given, 'concurrency', mostAtATime) ?? 8,
    ratePerS: rateOf(given),
    maxFailures: wholeNumber(given, 'max-failures', 1_000_000_000),
    skipInvalid: given.flag('skip-invalid'),
    report,
    changedFile: given.flag('changed-file'),
  };
}

function nameOf(given: Given, path: string, nowMs: number): string {
  const once = given.text('once');
  if (once === undefined) {
    const month = isoMonth(nowMs);
    const stem = path === '-' ? 'batch' : basename(path).replace(/\.[^.]*$/u, '');
    const plain = plainName(stem);
    const name = `${plain === '' ? 'payroll' : plain}-${month}`;
    throw namelessBatch(again(given, [], { name: 'once', value: name }));
  }
  const naming = namingFrom({
    once,
    run: undefined,
    key: undefined,
    payloadKey: undefined,
    runFromEnv: undefined,
  });
  return naming.by === 'once' ? naming.name : once;
}

function wholeNumber(given: Given, option: string, most: number): number | undefined {
  const text = given.text(option);
  if (text === undefined) return undefined;
  const count = /^[1-9]\d{0,9}$/u.test(text) ? Number(text) : Number.NaN;
  if (count <= most) return count;
  throw notACount(option, text, most);
}

function refuseSharedStdin(path: string, given: Given): void {
  if (path === '-' && given.text('token-file') === '-') throw inputAndTokenFromStdin();
}

/** By whatever name or link either is called. */
function isSameFile(one: string, other: string): boolean {
  if (resolve(one) === resolve(other)) return true;
  try {
    const [first, second] = [statSync(one), statSync(other)];
    return first.dev === second.dev && first.ino === second.ino;
  } catch {
    return false;
  }
}

function refuseReport(report: string, path: string): void {
  reportFormatOf(report);
  if (path !== '-' && isSameFile(report, path)) throw reportIsInput(report);
}
