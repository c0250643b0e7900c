import type { ReportFile } from '../batch/reportFile.ts';
import type { RowReportWorld } from '../batch/rowReport.ts';
import type { Sheet } from '../batch/sheet.ts';
import type { BatchAsked } from '../batch/survey.ts';
import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import { essence } from '../display/report.ts';
import type { Speaking } from '../engine/doing.ts';
import type { Journal } from '../journal/journal.ts';
import type { BatchOptions } from './batchOptions.ts';
import { signatureOf } from './storedReport.ts';

/** All that one batch consists of, from its options to its sheet. */
export type BatchWorld = {
  readonly given: Given;
  readonly context: Context;
  readonly options: BatchOptions;
  readonly asked: BatchAsked;
  readonly speaking: Speaking;
  /** Absent in a dry run where there is none yet. */
  readonly journal: Journal | undefined;
  readonly sheet: Sheet;
  readonly report: ReportFile | undefined;
};

export function reportWorld({ given, asked, sheet, speaking, journal }: BatchWorld): RowReportWorld {
  return {
    asked,
    sheet,
    speaking,
    journal,
    resultOf: (intent, attempt) => {
      const signature = journal === undefined ? undefined : signatureOf(intent, journal);
      return essence({ command: given.command, intent, attempt, replayed: false, warnings: [], signature });
    },
  };
}
