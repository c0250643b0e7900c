import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Dice } from '../../proof/dice.ts';
import { playAll } from '../../proof/playAll.ts';
import { brokenPrograms, soundPrograms } from '../../proof/programs.ts';
import { breaking, fileOf, replaced } from '../../proof/sabotage/plugin.ts';
import { variants } from '../../proof/sabotage/variants.ts';
import { techniques } from '../../proof/techniques.ts';
import { root } from '../support/root.ts';

const silent = (): void => {};
const slice = { share: 0.002, lanes: 2, hasSystemCalls: false, say: silent };

// The whole of it is `npm run proof`: this is a seeded slice of every technique.
test('broken in ten ways, everything asked for happens once and is told as it is', {
  // A busy machine ends it late; what hangs ends it at all.
  timeout: 900_000,
}, async () => {
  const programs = await soundPrograms();
  const tallies = await playAll({ ...slice, techniques, programs, dice: new Dice('slice') });
  expect(tallies.flatMap(({ findings, tooSlow }) => [...findings, ...tooSlow])).toEqual([]);
  expect(tallies.map(({ cases }) => cases > 0)).toEqual(techniques.map(() => true));
  for (const { expected, found } of tallies) expect(found).toBe(expected);
});

describe('a harness that can fail', () => {
  test('a botctl that does not sync its commits is caught', { timeout: 600_000 }, async () => {
    const variant = variants.find(({ name }) => name === 'not-durable');
    if (variant === undefined) throw new Error('the variant is gone');
    const { plugin, assertMade } = breaking(variant);
    const programs = await brokenPrograms(variant.name, plugin);
    assertMade();
    const own = techniques.filter(({ name }) => variant.caughtBy.includes(name));
    const dice = new Dice('slice');
    const [tally] = await playAll({ ...slice, techniques: own, programs, dice, mostFindings: 1 });
    expect(tally?.findings[0]?.what).toContain('without a durable record');
  });

  test.each(variants)('$name replaces names that are there', ({ seams }) => {
    for (const seam of seams) expect(replaced(readFileSync(fileOf(seam), 'utf8'), seam)).toContain(seam.by);
  });

  test('a name that is gone is told by its name', () => {
    const gone = { module: 'once/engine/asShown', name: 'refuseChanged', by: '() => 0' };
    expect(() => replaced('export const other = 1;', gone)).toThrow(
      'src/once/engine/asShown.ts exports no refuseChanged',
    );
  });
});

test('the shipped program has no trace of the steps to die at', () => {
  const dist = join(root, 'dist');
  const names = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.js$/u.test(name),
  );
  expect(names.length).toBeGreaterThan(10);
  const hasTrace = (name: string): boolean =>
    /BOTCTL_PROOF|proof\/hooked/u.test(readFileSync(join(dist, name), 'utf8'));
  expect(names.filter(hasTrace)).toEqual([]);
});
