import { Dice } from './dice.ts';
import { type Options, readOptions, usage } from './options.ts';
import { putIntoPage } from './page.ts';
import { playAll } from './playAll.ts';
import { soundPrograms } from './programs.ts';
import { sabotageAll } from './sabotage.ts';
import { notesText, textTable } from './table.ts';
import { techniques } from './techniques.ts';

const say = (text: string): void => console.error(text);

async function prove(options: Options): Promise<number> {
  const { only, seed, share } = options;
  const chosen = techniques.filter(({ name }) => only.length === 0 || only.includes(name));
  if (chosen.length === 0) throw new Error(`no such technique: ${only.join(', ')}`);
  const startedAt = performance.now();
  const programs = await soundPrograms();
  const { rows, findings } = await playAll({
    techniques: chosen,
    programs,
    dice: new Dice(seed),
    share,
    say,
  });
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(textTable(rows));
  if (notesText(rows) !== '') console.log(notesText(rows));
  console.log(`seed ${seed}, ${seconds} s`);
  if (options.isMarkdown) putIntoPage(rows, seed, seconds);
  return findings.length === 0 && rows.every(({ tooSlow }) => tooSlow === 0) ? 0 : 1;
}

// An ordinary exit ends the children and removes the folders.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

const options = readOptions(process.argv.slice(2));
if (options.isHelp) console.log(usage.replace('NAMES', techniques.map(({ name }) => name).join(', ')));
else process.exitCode = await (options.isSabotage ? sabotageAll(options, say) : prove(options));
