import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Readings } from '../../src/sandbox/readings.ts';
import { fewAtATime } from '../support/botctl.ts';
import { SkippingClock } from '../support/builtHere.ts';
import { otherRecipient, recipient } from '../support/sandbox.ts';
import { type Exited, SandboxHome } from '../support/sandboxHome.ts';

// Many at once on two machines: two homes, one service, the same names, and on each machine another payment under them.

let operator: SandboxHome;
beforeAll(async () => {
  operator = await SandboxHome.open(new SkippingClock());
});
afterAll(() => operator.close());

const echoes: readonly Partial<Readings>[] = [
  { echo_fields: [] },
  { echo_fields: ['to_address', 'asset', 'amount'] },
];
const repeats: readonly Partial<Readings>[] = [
  ...(['as-repeat', 'invalid', 'conflict', 'unprocessable'] as const).map((other_body) => ({ other_body })),
  { repeated_transfer_key: 'conflict' },
  { repeated_transfer_key: 'ignore' },
  { key_memory_ms: 0 },
];
const all = repeats.flatMap((repeat) => echoes.map((echo) => ({ ...repeat, ...echo })));
const usual: Partial<Readings> = {
  other_body: 'as-repeat',
  repeated_transfer_key: 'replay',
  key_memory_ms: null,
};

type Payment = { readonly to: string; readonly amount: string; readonly naming: readonly string[] };

function* paymentsOf(row: number): Generator<{ machine: string; payment: Payment }> {
  const amounts = { home: `0.0${row + 1}1`, office: `0.5${row + 1}1` };
  for (const [machine, amount] of Object.entries(amounts)) {
    const to = machine === 'home' ? recipient : otherRecipient;
    const naming = row % 2 === 0 ? '--once' : '--idempotency-key';
    yield { machine, payment: { to, amount, naming: [naming, `bonus-${row}`] } };
  }
}

function argvOf(journal: string, { to, amount, naming }: Payment): string[] {
  const payment = ['transfer', '--to', to, '--asset', 'SOL', '--amount', amount, ...naming];
  const tries = ['--max-wait', '2s'];
  return [...payment, ...tries, '--journal', `${operator.home.path}/${journal}.db`];
}

describe('of two machines that use the same names', () => {
  test.each(all.map((readings, row) => [readings, row] as const))(
    'neither is told a payment that did not happen, under %j',
    async (readings, row) => {
      await operator.sandbox.readings({ ...usual, ...readings });
      // And some replies are lost, each before the next try of the same command.
      await operator.sandbox.faults({ kind: 'drop', when: 'after', operation: 'transfer', times: 3 });
      const told: { payment: Payment; said: Exited }[] = [];
      // In the first row each command is a process of its own, several at once.
      const runsApart = row === 0;
      await fewAtATime([...paymentsOf(row)], async ({ machine, payment }) => {
        const argv = argvOf(runsApart ? `apart-${machine}` : machine, payment);
        const run = (): Promise<Exited> => (runsApart ? operator.jsonApart(argv) : operator.json(argv));
        for (const _twice of [1, 2]) told.push({ payment, said: await run() });
      });
      const ledger = await operator.sandbox.ledger({ kind: 'transfer' });
      expect(ledger.length).toBeGreaterThan(0);
      for (const { payment, said } of told) {
        const made = ledger.filter(({ key }) => key === said.entry?.key);
        const isMade = made.some(
          ({ request }) => request.to_address === payment.to && request.amount === payment.amount,
        );
        const context = { asked: payment, outcome: said.outcome };
        if (said.exit === 0) expect(said.transfer?.signature).toBeDefined();
        if (said.outcome === 'rejected')
          expect({ ...context, isMade }).toEqual({ ...context, isMade: false });
      }
    },
  );
});
