import type { ReportFile } from '../batch/reportFile.ts';
import type { RowReportInputs } from '../batch/rowReport.ts';
import type { Sheet } from '../batch/sheet.ts';
import type { BatchOrder } from '../batch/survey.ts';
import type { Bot } from '../bot/bot.ts';
import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import { idOrSignature } from '../display/report.ts';
import type { Journal } from '../journal/journal.ts';
import type { BatchOptions } from './batchOptions.ts';
import { signatureOf } from './storedReport.ts';

/** All that one batch consists of, from its options to its sheet. */
export type Batch = {
  readonly given: Given;
  readonly context: Context;
  readonly options: BatchOptions;
  readonly order: BatchOrder;
  readonly bot: Bot;
  /** Absent in a dry run where there is none yet. */
  readonly journal: Journal | undefined;
  readonly sheet: Sheet;
  readonly report: ReportFile | undefined;
};

export function rowReportInputs({ given, order, sheet, bot, journal }: Batch): RowReportInputs {
  return {
    order,
    sheet,
    bot,
    journal,
    resultOf: async (intent, attempt) => {
      const signature = journal === undefined ? undefined : await signatureOf(intent, journal.reads);
      return idOrSignature({
        command: given.command,
        intent,
        attempt,
        replayed: false,
        warnings: [],
        signature,
      });
    },
  };
}
