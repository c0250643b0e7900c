// npm run bench [-- --check] [--markdown] [--nodes] [--as-is] [--rounds N] [--intents N]
// What the issue of speed asks for, in one run: whole processes against `node -e 0`, the peers beside them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { withMarked } from '../scripts/marked.ts';
import { otherNodes } from '../scripts/otherNodes.ts';
import { type Figures, measure } from './measure/figures.ts';
import { makeJournal } from './measure/longJournal.ts';
import { setStage } from './measure/stage.ts';
import { drawTable, markdownTable, missedMarks } from './measure/tables.ts';

const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
    nodes: { type: 'boolean', default: false },
    'as-is': { type: 'boolean', default: false },
    rounds: { type: 'string', default: '21' },
    intents: { type: 'string', default: '1000000' },
  },
});

const stage = await setStage(values['as-is']);
try {
  const journal = join(stage.folder, 'long.db');
  const intents = Number(values.intents);
  await makeJournal(journal, intents);
  const nodes = [process.execPath, ...(values.nodes ? await otherNodes() : [])];
  const all = nodes.map((node) => {
    const figures = measure({ stage, journal, intents, node, rounds: Number(values.rounds) });
    console.log(drawTable(figures));
    return figures;
  });
  if (values.markdown) putIntoPage(all);
  const missed = all.flatMap(missedMarks);
  for (const one of missed) console.log(one);
  if (values.check && missed.length > 0) process.exitCode = 1;
} finally {
  stage.end();
}

function putIntoPage(all: readonly Figures[]): void {
  const path = 'docs/performance.md';
  writeFileSync(path, withMarked(readFileSync(path, 'utf8'), 'figures', markdownTable(all)));
}
