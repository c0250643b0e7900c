import type { Home } from '../../../testing/home.ts';
import { type LedgerEffect, otherRecipient, recipient } from '../../../testing/sandbox.ts';
import type { Dice } from '../../dice.ts';
import { overLanes } from '../../lane.ts';
import { type Operation, operations, Play, type Stage } from '../../play.ts';
import { objectsOf, type Ran } from '../../run.ts';
import type { Tally } from '../../tally.ts';
import { shortened } from '../../told.ts';
import { type Reading, readings } from '../faults/readings.ts';
import { type Arena, shareOf } from '../technique.ts';

type Fields = Readonly<Record<string, string>>;

/** One command on one of the machines, and what it requests; for a batch, what each row requests, by its ID. */
type Errand = {
  readonly argv: readonly string[];
  readonly stdin?: string;
  readonly asks: Fields | ReadonlyMap<string, Fields>;
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

const hasty = ['--timeout', '5s', '--max-wait', '1s'];

/** A row may be equal to the single payment of the same name. */
const meant: Readonly<Record<Operation, readonly string[]>> = { message: [], transfer: ['--repeat'] };

function single(
  operation: Operation,
  body: Fields,
  naming: readonly string[],
  face: readonly string[],
): Errand {
  const words = Object.entries(body).flatMap(([field, value]) => [options[field] ?? `--${field}`, value]);
  const verb = operation === 'message' ? 'send' : 'transfer';
  return { argv: [verb, ...words, ...naming, ...meant[operation], ...hasty, ...face], asks: body };
}

/** A batch of rows with different IDs, with the bodies in this order. */
function batch(operation: Operation, rows: readonly Fields[]): Errand {
  const columns = Object.keys(rows[0] ?? {});
  const asks = new Map(rows.map((row, index) => [`row-${index + 1}`, row]));
  const lines = [...asks].map(([id, row]) => [id, ...columns.map((column) => row[column])].join(','));
  const verb = operation === 'message' ? 'send' : 'transfer';
  return {
    argv: ['batch', verb, '-', '--once', 'two-machines', '--yes', ...meant[operation], ...hasty, '--json'],
    stdin: `id,${columns.join(',')}\n${lines.join('\n')}\n`,
    asks,
  };
}

/** A text shows its key only with --verbose. */
const faces: readonly (readonly string[])[] = [['--json'], ['--verbose']];

function errandOf(operation: Operation, dice: Dice): Errand {
  const all = bodies[operation];
  const body = dice.pick(all);
  const kind = dice.below(4);
  if (kind === 0) return batch(operation, [dice.pick(all), dice.pick(all)]);
  const naming = ['--once', 'two-machines'];
  return single(operation, body, naming, dice.pick(faces));
}

/** Something that a command says has happened. */
type Assertion = { readonly key: string; readonly requested: Fields; readonly id?: string };

function assertionsIn(ran: Ran, { asks }: Errand): Assertion[] {
  if (!ran.argv.includes('--json')) return asks instanceof Map ? [] : assertionInText(ran, asks as Fields);
  return (objectsOf(ran) ?? []).flatMap((said): Assertion[] => {
    const { outcome, verified, intent, id } = said as {
      outcome?: string;
      verified?: boolean;
      intent?: { key?: string };
      id?: string;
    };
    const requested = asks instanceof Map ? asks.get(id ?? '') : (asks as Fields);
    if (outcome !== 'accepted' || verified === false || requested === undefined) return [];
    return [{ key: intent?.key ?? '', requested }];
  });
}

/** In text, a command claims more than that the service accepted it if it says “made”, “sent” or “proven”. */
function assertionInText({ stdout }: Ran, requested: Fields): Assertion[] {
  const isAssertion = /(Transfer|Message)( already)? (made|sent|(accepted, )?proven)/u.test(stdout);
  const isAboutAnother = /^\S+ (Transfer|Message) (unknown|held|open|rejected)/mu.test(stdout);
  const key = /^\s*Key\s+(\S+)/mu.exec(stdout)?.[1];
  return isAssertion && !isAboutAnother && key !== undefined ? [{ key, requested }] : [];
}

function happened({ key, requested }: Assertion, effects: readonly LedgerEffect[]): boolean {
  return effects.some(
    (effect) =>
      effect.key === key &&
      Object.entries(requested).every(([field, value]) => effect.request[field] === value),
  );
}

async function runErrand(errand: Errand, home: Home, play: Play): Promise<void> {
  const { argv, stdin } = errand;
  const ran = await play.run(argv, home, {
    isElsewhere: true,
    isOneOfMany: true,
    ...(stdin === undefined ? {} : { stdin }),
  });
  const effects = await play.effects();
  for (const assertion of assertionsIn(ran, errand)) {
    if (!happened(assertion, effects))
      play.wrong(
        `told that ${JSON.stringify(assertion.requested)} happened, and it did not: ${shortened(ran)}`,
      );
  }
}

const errandsEach = 4;

/** Both machines run at once, each working through its errands. */
async function playReading(operation: Operation, reading: Reading, dice: Dice, stage: Stage): Promise<void> {
  const { lane } = stage;
  await lane.service.fresh();
  await lane.service.conversation('conv_other');
  await lane.service.money({ asset: 'USDC', amount: '1000' });
  await lane.service.set(reading.change);
  const play = new Play(`${operation}, ${reading.name}, on two machines`, stage);
  const machines = [lane.home(), lane.home()];
  await Promise.all(
    machines.map(async (home, index) => {
      const own = dice.for(`machine ${index}`);
      for (let count = 0; count < errandsEach; count += 1)
        await runErrand(errandOf(operation, own), home, play);
    }),
  );
  const effects = await play.effects();
  const keys = new Set(effects.map(({ key }) => key));
  await play.over(reading.isForgetful === true ? effects.length : keys.size);
  stage.tally.count(0, 0, 2 * errandsEach - 1);
  for (const home of machines) home.remove();
}

/** The replies to a repeated key with another body, if they differ from the first reply. */
const otherBodies: readonly Reading[] = (['invalid', 'conflict', 'unprocessable'] as const).flatMap(
  (otherBody): Reading[] => [
    {
      name: `repeated transfers rejected, another body ${otherBody}`,
      change: { repeated_transfer_key: 'conflict', other_body: otherBody },
      only: 'transfer',
    },
    {
      name: `repeated messages replayed, another body ${otherBody}`,
      change: { repeated_message_key: 'replay', other_body: otherBody },
      only: 'message',
    },
  ],
);

/** Two machines that know nothing of each other use the same names, for equal and for different requests. */
export async function playTwoMachines(arena: Arena, tally: Tally): Promise<void> {
  const { programs } = arena;
  const cases = operations.flatMap((operation) =>
    [...readings, ...otherBodies]
      .filter(({ only }) => only === undefined || only === operation)
      .map((reading) => ({ operation, reading })),
  );
  const chosen = shareOf(cases, arena, 'two machines');
  await overLanes(arena, tally, chosen, ({ operation, reading }, lane, own) => {
    const dice = arena.dice.for(`${operation}, ${reading.name}`);
    return playReading(operation, reading, dice, { lane, tally: own, programs });
  });
}
