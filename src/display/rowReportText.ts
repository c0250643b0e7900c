import type { ReportText } from '../batch/reportFile.ts';
import type { Kind } from '../intent/wanted.ts';
import { unknownReportFormat } from '../words/batchOptions.ts';
import { csvLine } from '../words/csvLine.ts';
import { safeLine } from './safeText.ts';

type ReportFormat = 'csv' | 'jsonl';

export function reportFormatOf(path: string): ReportFormat {
  if (/\.csv$/iu.test(path)) return 'csv';
  if (/\.(jsonl|ndjson)$/iu.test(path)) return 'jsonl';
  throw unknownReportFormat(path);
}

const resultNames: Readonly<Record<Kind, string>> = { message: 'message_id', transfer: 'signature' };

/** How the report of a batch reads. */
export function reportText(format: ReportFormat, kind: Kind): ReportText {
  const resultName = resultNames[kind];
  if (format === 'csv') {
    return {
      heading: csvLine(['line', 'id', 'outcome', resultName, 'error', 'key']),
      line: ({ line, id, outcome, result, error, key }) =>
        csvLine([line, safe(id), outcome, safe(result), safe(error), key]),
    };
  }
  return {
    heading: '',
    line: ({ line, id, outcome, result, error, key }) =>
      `${JSON.stringify({ line, id, outcome, [resultName]: safe(result), error: safe(error), key })}\n`,
  };
}

function safe(text: string | undefined): string | undefined {
  return text === undefined ? undefined : safeLine(text);
}
