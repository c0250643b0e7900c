import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from '../../../testing/home.ts';
import { randomFaults } from '../../../testing/randomFaults.ts';
import { inTime, playAtPace } from '../../pace.ts';
import { command, Play, type Stage } from '../../play.ts';
import { type Ran, run } from '../../run.ts';
import type { Tally } from '../../tally.ts';
import { shortened, toldBy } from '../../told.ts';
import type { Arena } from '../technique.ts';

/** Many payments at once, all meant, which together are twice as much as a day allows. */
export async function playUnderLimit(arena: Arena, tally: Tally): Promise<void> {
  const { dice, share, pace } = arena;
  const processes = Math.max(6, Math.round(50 * share));
  const rounds = Math.max(2, Math.round(6 * share));
  for (let round = 1; round <= rounds; round += 1) {
    const seed = String(dice.fraction());
    await playAtPace(pace, tally, (own) => playRound({ round, seed, processes }, arena, own));
  }
}

type Round = { readonly round: number; readonly seed: string; readonly processes: number };

async function playRound({ round, seed, processes }: Round, arena: Arena, tally: Tally): Promise<void> {
  const { lanes, programs, pace } = arena;
  const [lane] = lanes;
  if (lane === undefined) throw new Error('no lane');
  const allowed = Math.floor(processes / 2);
  await lane.service.fresh();
  await lane.service.faults(...randomFaults({ seed, rate: 0.05, requests: 4 * processes }));
  const home = lane.home();
  const env = heldEnv(home, lane.env(home), allowed);
  const where = `${processes} processes at once, of which a day's limit allows ${allowed}, round ${round}`;
  const stage: Stage = { lane, tally, programs };
  const play = new Play(where, stage);
  const pay = async (number: number): Promise<Ran> => {
    const words = [...command('transfer', '--once', `limited-${number}`, '--repeat'), '--timeout', '20s'];
    const ran = await inTime(pace, tally, () => run(programs.plain.bin, words, { env }));
    play.judge(ran);
    return ran;
  };
  const numbers = Array.from({ length: processes }, (_, index) => index + 1);
  await Promise.all(numbers.map(pay));
  await lane.service.clearFaults();
  // What was refused while others were in doubt may find room; what was in doubt comes to its end.
  const again: Ran[] = [];
  for (const number of numbers) again.push(await pay(number));
  await judge(again, allowed, play, stage);
  home.remove();
}

/** The profile `payer`, restricted by a policy. */
function heldEnv(home: Home, env: Record<string, string>, allowed: number): Record<string, string> {
  const folder = join(home.path, 'policies');
  mkdirSync(folder, { mode: 0o700 });
  const policy = join(folder, 'policy.json');
  const day = String(allowed / 1000);
  const text = { schema: 'botctl-policy/1', limits: { SOL: { day } } };
  writeFileSync(policy, JSON.stringify(text), { mode: 0o600 });
  const { BOTCTL_TOKEN: secret, BOTCTL_BASE_URL: baseUrl, ...rest } = env;
  const token = { kind: 'stored', secret };
  home.writeConfig({
    version: 1,
    'in-use': 'payer',
    profiles: { payer: { 'base-url': baseUrl, token, policy } },
  });
  return rest;
}

/** Never more than the limit, and all of it if nothing is left to a person. */
async function judge(
  again: readonly Ran[],
  allowed: number,
  play: Play,
  { lane, tally }: Stage,
): Promise<void> {
  const effects = await lane.service.effects();
  const nanos = effects.reduce((sum, { request }) => sum + Math.round(Number(request.amount) * 1e9), 0);
  const sent = nanos / 1e6;
  if (sent > allowed)
    tally.find('duplicated', play.where, `${sent} thousandths were sent, and the policy allows ${allowed}`);
  const others = again.filter((ran) => ran.code !== 0 && toldBy(ran).failure !== 'policy-limit');
  const isLeftToAPerson = others.some(({ code }) => code === 10);
  for (const ran of others) if (ran.code !== 10) play.unmet(`neither done nor refused: ${shortened(ran)}`);
  if (sent < allowed && !isLeftToAPerson)
    tally.find('lost', play.where, `${sent} thousandths were sent, and ${allowed} are allowed`);
  tally.count(sent, effects.length, 1);
}
