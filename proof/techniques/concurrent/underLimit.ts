import { randomFaults } from '../../../test/support/randomFaults.ts';
import { recipient } from '../../../test/support/sandbox.ts';
import { type Arena, playOne, type Stage } from '../../arena.ts';
import { pay } from '../../jobs.ts';
import { begin, type Play } from '../../play.ts';
import type { Ran } from '../../run.ts';
import { shortened, toldBy } from '../../told.ts';
import { once, patient } from '../crowd.ts';

/** Many payments at once, all meant, which together are twice as much as a day allows. */
export async function playUnderLimit(arena: Arena): Promise<void> {
  const { dice, share } = arena;
  await playOne(arena, skipped);
  const processes = Math.max(6, Math.round(50 * share));
  const rounds = Math.max(1, Math.round(6 * share));
  for (let round = 1; round <= rounds; round += 1) {
    const seed = String(dice.fraction());
    await playOne(arena, async (stage) => {
      const allowed = Math.floor(processes / 2);
      const where = `${processes} processes at once, of which a day's limit allows ${allowed}, round ${round}`;
      const play = await begin(where, stage);
      const { service } = stage.lane;
      await service.faults(...randomFaults({ seed, rate: 0.05, requests: 4 * processes }));
      await playRound(processes, allowed, play);
    });
  }
}

const limitedTo = (day: string, { home }: Play): Record<string, string> => ({
  BOTCTL_POLICY: home.policy({ schema: 'botctl-policy/1', limits: { SOL: { day } } }),
});

/** A row that was paid already and is left out takes nothing from what a day allows the others. */
async function skipped(stage: Stage): Promise<void> {
  const play = await begin("a row that is left out, under a day's limit", stage);
  const env = limitedTo('0.004', play);
  play.expectExit(await play.run(pay('0.0015', '--once', 'earlier').argv, { env }), 0);
  const rows = ['0.0015', '0.002'].map((amount, row) => `r${row},${recipient},SOL,${amount}`);
  const stdin = `id,to_address,asset,amount\n${rows.join('\n')}\n`;
  const argv = ['batch', 'transfer', '-', '--once', 'payday', '--skip-repeats', '--yes', '--json'];
  play.expectExit(await play.run(argv, { env, stdin }), 0);
  await play.over(2);
}

async function playRound(processes: number, allowed: number, play: Play): Promise<void> {
  const env = limitedTo(String(allowed / 1000), play);
  const payNth = (number: number): Promise<Ran> =>
    once(pay('0.001', '--once', `limited-${number}`, '--repeat', ...patient), play, env);
  const numbers = Array.from({ length: processes }, (_, index) => index + 1);
  await Promise.all(numbers.map(payNth));
  await play.stage.lane.service.clearFaults();
  // What was refused while others were in doubt may find room; what was in doubt comes to its end.
  const again: Ran[] = [];
  for (const number of numbers) again.push(await payNth(number));
  // Never more than the limit, and all of it if nothing is left to a person.
  const others = again.filter((ran) => ran.code !== 0 && toldBy(ran).failure !== 'policy-limit');
  for (const ran of others) if (ran.code !== 10) play.unmet(`neither done nor refused: ${shortened(ran)}`);
  const isLeftToAPerson = others.some(({ code }) => code === 10);
  await play.over(isLeftToAPerson ? Math.min(allowed, (await play.effects()).length) : allowed);
}
