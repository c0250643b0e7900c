import { type LedgerEffect, otherRecipient, recipient } from '../../../test/support/sandbox.ts';
import { type Arena, playEach, type Stage, shareOf } from '../../arena.ts';
import type { Dice } from '../../dice.ts';
import { type Operation, operations } from '../../jobs.ts';
import { begin, type Play, type RunOptions } from '../../play.ts';
import { objectsOf } from '../../run.ts';
import { shortened } from '../../told.ts';
import { type Reading, readingsOf } from '../faults/readings.ts';

type Fields = Readonly<Record<string, string>>;

/** One command on one of the machines, and what it requests; for a batch, what each row requests, by its ID. */
type Errand = {
  readonly argv: readonly string[];
  readonly stdin?: string;
  readonly asks: ReadonlyMap<string | undefined, Fields>;
};

/** All use the same name and differ in what they request. */
const bodies: Readonly<Record<Operation, readonly Fields[]>> = {
  transfer: [
    { to_address: recipient, asset: 'SOL', amount: '0.002' },
    { to_address: recipient, asset: 'SOL', amount: '0.02' },
    { to_address: otherRecipient, asset: 'SOL', amount: '0.002' },
    { to_address: recipient, asset: 'USDC', amount: '0.002' },
  ],
  message: [
    { conversation_id: 'conv_demo', content: 'The first' },
    { conversation_id: 'conv_demo', content: 'The second' },
    { conversation_id: 'conv_other', content: 'The first' },
  ],
};

const options: Readonly<Record<string, string>> = {
  to_address: '--to',
  conversation_id: '--conversation',
};

function errandOf(operation: Operation, dice: Dice): Errand {
  const verb = operation === 'message' ? 'send' : 'transfer';
  // A row may be equal to the single payment of the same name.
  const meant = operation === 'message' ? [] : ['--repeat'];
  const more = ['--once', 'two-machines', ...meant, '--timeout', '5s', '--max-wait', '1s', '--json'];
  const [body, other] = [dice.pick(bodies[operation]), dice.pick(bodies[operation])];
  if (dice.below(4) > 0) {
    const words = Object.entries(body).flatMap(([field, value]) => [options[field] ?? `--${field}`, value]);
    return { argv: [verb, ...words, ...more], asks: new Map([[undefined, body]]) };
  }
  const rows = [body, other].map((row, index) => [`row-${index + 1}`, row] as const);
  const lines = rows.map(([id, row]) => [id, ...Object.values(row)].join(','));
  const stdin = `id,${Object.keys(body).join(',')}\n${lines.join('\n')}\n`;
  return { argv: ['batch', verb, '-', '--yes', ...more], stdin, asks: new Map(rows) };
}

type Said = { outcome?: string; warnings?: readonly string[]; entry?: { key?: string }; id?: string };

/** What a command says has happened must have; as it was requested, where the service tells one body from another. */
async function runErrand(
  { argv, stdin, asks }: Errand,
  tellsBodies: boolean,
  play: Play,
  options: RunOptions,
): Promise<void> {
  const ran = await play.run(argv, { ...options, stdin });
  const effects = await play.effects();
  for (const { outcome, warnings = [], entry, id } of (objectsOf(ran) ?? []) as Said[]) {
    const requested = asks.get(id);
    if (outcome !== 'accepted' || warnings.length > 0 || requested === undefined) continue;
    if (!effects.some((effect) => effect.key === entry?.key && (!tellsBodies || isOf(effect, requested))))
      play.wrong(`told that ${JSON.stringify(requested)} happened, and it did not: ${shortened(ran)}`);
  }
}

function isOf({ request }: LedgerEffect, requested: Fields): boolean {
  return Object.entries(requested).every(([field, value]) => request[field] === value);
}

const errandsEach = 4;

type Case = { readonly operation: Operation; readonly reading: Reading };

/** Both machines run at once, each working through its errands. */
async function playReading({ operation, reading }: Case, stage: Stage): Promise<void> {
  const { service } = stage.lane;
  const play = await begin(`${operation}, ${reading.name}, on two machines`, stage);
  // A reply that is given again does not say whom the first request paid. Of a message it shows the content.
  const tellsBodies = operation === 'message' || reading.change.other_body !== undefined;
  await service.conversation('conv_other');
  await service.money({ asset: 'USDC', amount: '1000' });
  await service.set(reading.change);
  await Promise.all(
    [stage.machine(), stage.machine()].map(async (home, index) => {
      const dice = stage.dice.for(`${operation}, ${reading.name}`).for(`machine ${index}`);
      for (let count = 0; count < errandsEach; count += 1) {
        const options = { home, isElsewhere: true, isOneOfMany: true };
        await runErrand(errandOf(operation, dice), tellsBodies, play, options);
      }
    }),
  );
  const effects = await play.effects();
  const keys = new Set(effects.map(({ key }) => key));
  await play.over(reading.isForgetful === true ? effects.length : keys.size);
  stage.tally.count(0, 0, 2 * errandsEach - 1);
}

/** The replies to a repeated key with another body, if they differ from the first reply. */
function otherBodies(operation: Operation): Reading[] {
  const repeated =
    operation === 'transfer'
      ? ({ repeated_transfer_key: 'conflict' } as const)
      : ({ repeated_message_key: 'replay' } as const);
  return (['invalid', 'conflict', 'unprocessable'] as const).map((other_body) => ({
    name: `repeated ${operation}s otherwise, another body ${other_body}`,
    change: { ...repeated, other_body },
  }));
}

/** Two machines that know nothing of each other use the same names, for equal and for different requests. */
export async function playTwoMachines(arena: Arena): Promise<void> {
  const cases = operations.flatMap((operation) =>
    [...readingsOf(operation), ...otherBodies(operation)].map((reading) => ({ operation, reading })),
  );
  await playEach(arena, shareOf(cases, arena, 'two machines'), playReading);
}
