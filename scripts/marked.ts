/** Replaces the text between `<!-- NAME -->` and `<!-- /NAME -->` in a page. */
export function withMarked(page: string, name: string, made: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`the page has no ${begin} … ${end}`);
  return `${page.slice(0, from)}${begin}\n\n${made}\n\n${page.slice(to)}`;
}
