import { outputs } from '../../scripts/schema/outputs.ts';

/** The objects that a command printed or wrote, one a line. */
export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** What a command with `--json` printed last. */
export function lastLine(text: string): Record<string, unknown> {
  const last = jsonLines(text).at(-1);
  if (last === undefined) throw new Error('nothing was printed');
  return last;
}

/** What is wrong with a line printed by `--json`; undefined if it matches a documented object in every field. */
export function undocumented(line: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return 'is not JSON';
  }
  const complaints: string[] = [];
  for (const { name, schema } of outputs) {
    const judged = schema.safeParse(value);
    if (judged.success) return undefined;
    const issues = judged.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    complaints.push(`${name}: ${issues.join('; ')}`);
  }
  // The kind that fits best has the shortest complaint.
  return complaints.sort((one, other) => one.length - other.length)[0];
}

/** Throws if a run with `--json` printed anything that the schema does not know. */
export function refuseUndocumented(argv: readonly string[], stdout: string): void {
  const end = argv.indexOf('--');
  const wantsJson = (end < 0 ? argv : argv.slice(0, end)).includes('--json');
  // Help and version are always plain text.
  if (!wantsJson || argv.some((word) => ['--help', '-h', '--version', '-V'].includes(word))) return;
  for (const line of stdout.split('\n').filter((one) => one !== '')) {
    const complaint = undocumented(line);
    if (complaint !== undefined)
      throw new Error(
        `botctl ${argv.join(' ')} printed what docs/json.md does not know: ${complaint}\n${line}`,
      );
  }
}
