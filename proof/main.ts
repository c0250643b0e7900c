import { refusing } from '../scripts/refusal.ts';
import { Dice } from './dice.ts';
import { type Options, readOptions, usage } from './options.ts';
import { playAll } from './playAll.ts';
import { soundPrograms } from './programs.ts';
import { sabotageAll } from './sabotage.ts';
import { notesOf, putIntoPage, tableOf } from './table.ts';
import { techniques } from './techniques.ts';

async function prove({ only, seed, share, markdown }: Options): Promise<number> {
  const chosen = techniques.filter(({ name }) => only.length === 0 || only.includes(name));
  const startedAt = performance.now();
  const programs = await soundPrograms();
  const tallies = await playAll({ techniques: chosen, programs, dice: new Dice(seed), share });
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log([tableOf(tallies), ...notesOf(tallies), `seed ${seed}, ${seconds} s`].join('\n'));
  if (markdown) putIntoPage(tallies, seed, seconds);
  return tallies.every(({ findings, tooSlow }) => findings.length + tooSlow.length === 0) ? 0 : 1;
}

// An ordinary exit ends the children and removes the folders.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

process.exitCode = await refusing('`npm run proof -- --help` shows what it takes.', async () => {
  const options = readOptions(process.argv.slice(2));
  if (!options.help) return options.sabotage ? sabotageAll(options) : prove(options);
  console.log(usage);
  return 0;
});
