import { expect, test } from 'vitest';
import { sharedCommit } from '../../src/batch/commitQueue.ts';
import { execute } from '../../src/once/engine/execute.ts';
import type { Outcome } from '../../src/once/engine/outcome.ts';
import { onShared, scriptedEngines } from '../support/postgres/sharedEngine.ts';
import { newSharedPlace, openShared, type SharedPlace } from '../support/postgres/sharedJournal.ts';
import { noRetries, once, reply, type ScriptedEngine, transfer } from '../support/scriptedEngine.ts';

const newEngine = scriptedEngines();

const paidAs = (id: string, signature = `of ${id}`) =>
  reply(200, { transfer_id: id, status: 'confirmed', signature });

/** Resolves when so many have come to it. */
function gate(of: number): () => Promise<void> {
  let come = 0;
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    come += 1;
    if (come === of) open();
    return opened;
  };
}

function stateOf(outcome: Outcome): string {
  return outcome.is === 'concluded' ? outcome.entry.state : outcome.is;
}

/** Each pays another amount. */
const payment = (name: string) => transfer({ amount: `${name.length}` }, once(name));

async function pay(name: string, place: SharedPlace, scripted: ScriptedEngine): Promise<Outcome> {
  const journal = await openShared(place);
  return execute(payment(name), scripted.engine({ ...onShared(journal), ...noRetries }));
}

test('of two replies with one transfer id that come at the same time, one is somebody else’s', async () => {
  const place = await newSharedPlace();
  const journal = await openShared(place);
  const scripted = newEngine();
  const bothAreHere = gate(2);
  const paidTwice = async () => {
    await bothAreHere();
    return paidAs('tr_1');
  };
  scripted.script.push(paidTwice, paidTwice);
  const engine = scripted.engine({
    ...onShared(journal),
    ...noRetries,
    commit: sharedCommit(journal),
  });
  const outcomes = await Promise.all(['august', 'september'].map((name) => execute(payment(name), engine)));
  expect(outcomes.map(stateOf).sort()).toEqual(['accepted', 'held']);
});

test('two machines do not take one transfer id for the proof of two transfers', async () => {
  const place = await newSharedPlace();
  const scripted = newEngine();
  const bothAreHere = gate(2);
  const paidTwice = async () => {
    await bothAreHere();
    return paidAs('tr_1');
  };
  scripted.script.push(paidTwice, paidTwice);
  const outcomes = await Promise.all(['august', 'september'].map((name) => pay(name, place, scripted)));
  expect(outcomes.map(stateOf).sort()).toEqual(['accepted', 'held']);
});
