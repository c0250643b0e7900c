import { basename, resolve } from 'node:path';
import { reportFormatOf } from '../batch/reportFile.ts';
import type { Given } from '../cli/given.ts';
import { Failure } from '../errors.ts';
import { namingFrom } from '../intent/naming.ts';

export type BatchOptions = {
  readonly path: string;
  readonly name: string;
  readonly concurrency: number;
  readonly ratePerS: number | undefined;
  readonly maxFailures: number | undefined;
  readonly skipInvalid: boolean;
  readonly report: string | undefined;
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
  };
}

function nameOf(given: Given, path: string, nowMs: number): string {
  const once = given.text('once');
  if (once === undefined) {
    const month = new Date(nowMs).toISOString().slice(0, 7);
    const stem = path === '-' ? 'batch' : basename(path).replace(/\.[^.]*$/u, '');
    const plain = stem.replace(/[^\p{L}\p{N}._-]+/gu, '-');
    throw new Failure('usage', 'A batch needs a name: give --once. Nothing was sent.', {
      hint: `Name it after what it is and when, for example --once ${plain === '' ? 'payroll' : plain}-${month}; with the same name it can be run again.`,
    });
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
  throw new Failure('usage', `--${option} ${JSON.stringify(text)} is not a count. Nothing was sent.`, {
    hint: `Write a whole number from 1 to ${most}.`,
  });
}

const unitsInS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

function rateOf(given: Given): number | undefined {
  const text = given.text('rate');
  if (text === undefined) return undefined;
  const [, count, unit] = /^([1-9]\d{0,6})\/(s|m|h)$/u.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return Number(count) / (unitsInS[unit] ?? 1);
  throw new Failure('usage', `--rate ${JSON.stringify(text)} is not a rate. Nothing was sent.`, {
    hint: 'Write a count and a unit: 20/s, 300/m or 5000/h.',
  });
}

function refuseSharedStdin(path: string, given: Given): void {
  if (path !== '-' || given.text('token-file') !== '-') return;
  throw new Failure('usage', 'The input and --token-file both want to read stdin. Nothing was sent.', {
    hint: 'Only one of them can be -; give the other as a file.',
  });
}

function refuseReport(report: string, path: string): void {
  reportFormatOf(report);
  if (path === '-' || resolve(report) !== resolve(path)) return;
  throw new Failure('usage', `--report ${report} is the input itself. Nothing was sent.`, {
    hint: 'Give the report another name.',
  });
}
