const mostShown = 80;
const fewest = 5;

/** As much of somebody's text as anybody reads; never half a character. */
export function clipped(text: string, most = mostShown): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most).replace(/[\ud800-\udbff]$/u, '')}…`;
}

/** The first few of many, and how many more there are. */
export function fewOf(shown: readonly string[], separator: string, more: (count: number) => string): string {
  const first = shown.slice(0, fewest).join(separator);
  return shown.length <= fewest ? first : `${first}${separator}${more(shown.length - fewest)}`;
}
