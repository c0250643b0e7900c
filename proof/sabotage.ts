import { Dice } from './dice.ts';
import type { Options } from './options.ts';
import { playAll } from './playAll.ts';
import { brokenPrograms } from './programs.ts';
import { breaking } from './sabotage/plugin.ts';
import { type Variant, variants } from './sabotage/variants.ts';
import type { Finding } from './tally.ts';
import { techniques } from './techniques.ts';

/** The shares of a technique to play. A variant not caught by a small share meets a larger one. */
const shares = [0.02, 0.1, 0.5];

/** Builds each broken botctl and plays the techniques against it. All must be caught. */
export async function sabotageAll({ seed, only }: Options): Promise<number> {
  const chosen = variants.filter(({ name }) => only.length === 0 || only.includes(name));
  let escaped = 0;
  for (const variant of chosen) {
    const caught = await sabotage(variant, seed);
    if (caught === undefined) escaped += 1;
    console.log(`${variant.name}: ${caught === undefined ? 'NOT CAUGHT' : `caught by ${caught.technique}`}`);
    if (caught !== undefined) console.log(`    ${caught.where}: ${caught.what.slice(0, 200)}`);
  }
  console.log(`${chosen.length - escaped} of ${chosen.length} sabotages caught, seed ${seed}`);
  return escaped === 0 ? 0 : 1;
}

async function sabotage(variant: Variant, seed: string): Promise<Finding | undefined> {
  const broken = breaking(variant);
  const programs = await brokenPrograms(variant.name, broken.plugin);
  broken.assertMade();
  for (const share of shares) {
    for (const name of variant.caughtBy) {
      const dice = new Dice(`${seed}/${variant.name}`);
      const own = techniques.filter((technique) => technique.name === name);
      const tallies = await playAll({ techniques: own, programs, dice, share, mostFindings: 1 });
      const [finding] = tallies.flatMap(({ findings }) => findings);
      if (finding !== undefined) return finding;
    }
  }
  return undefined;
}
