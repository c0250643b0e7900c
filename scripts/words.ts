// npm run words [-- --list] [-- --pages]: counts what people read: the help, the README, the documents, the messages.
// `--list` names each forbidden word with its place; `--pages` counts each page.
import { type Counts, countsOf, hitsOn, marks, partNames, textOf } from './wording.ts';

const columns = ['pages', 'words', 'lines', 'bytes', 'longest', 'forbidden'] as const;

function say(name: string, counts: Counts, most: Partial<Counts>): void {
  const cells = columns.map((column) => {
    const mark = most[column];
    return `${counts[column]}${mark === undefined ? '' : ` ≤ ${mark}`}`.padStart(17);
  });
  console.log(name.padEnd(24) + cells.join(''));
}

console.log(' '.repeat(24) + columns.map((column) => column.padStart(17)).join(''));
for (const part of partNames) {
  const pages = textOf(part);
  say(part, countsOf(pages), marks[part]);
  if (process.argv.includes('--pages')) for (const page of pages) say(`  ${page.name}`, countsOf([page]), {});
  if (process.argv.includes('--list'))
    for (const page of pages) for (const hit of hitsOn(page)) console.log(`  ${hit}`);
}
