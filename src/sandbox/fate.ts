import { type Fault, type RandomFaults, randomFault } from './faults.ts';
import type { Ledger } from './ledger.ts';
import type { Operation } from './operation.ts';

/** Which fault meets a request: the first scripted one that fits it, else the dice. */
export type Fate = {
  beforeReading(operation: Operation): Fault | undefined;
  afterReading(operation: Operation, key: string | undefined): Fault | undefined;
  /** Of a request to /rpc: before its body is read, or by the methods it calls. Dice are not thrown for it. */
  ofRpc(methods: 'unread' | readonly string[]): Fault | undefined;
};

export function fateOf(ledger: Ledger): Fate {
  return {
    beforeReading: (operation) => takeFault(ledger, (fault) => fits(fault, operation, undefined), 'unread'),
    afterReading: (operation, key) =>
      takeFault(ledger, (fault) => fits(fault, operation, key), 'read') ?? roll(ledger, randomOf(ledger)),
    ofRpc: (methods) =>
      takeFault(
        ledger,
        ({ operation, method }) => operation === 'rpc' && (method === undefined || methods.includes(method)),
        methods === 'unread' ? 'unread' : 'read',
      ),
  };
}

function fits(fault: Fault, operation: Operation, key: string | undefined): boolean {
  return (fault.operation ?? operation) === operation && (fault.key ?? key) === key;
}

/** Scripts run in order: a fault that belongs to another moment is not overtaken. */
function takeFault(
  ledger: Ledger,
  matches: (fault: Fault) => boolean,
  moment: 'unread' | 'read',
): Fault | undefined {
  if (ledger.faults.list().length === 0) return undefined;
  return ledger.atomically(() => {
    const next = ledger.faults.list().find(({ fault }) => matches(fault));
    if (next === undefined || (next.fault.when === 'unread') !== (moment === 'unread')) return undefined;
    ledger.faults.use(next.id);
    return next.fault;
  });
}

export function randomOf(ledger: Ledger): RandomFaults | undefined {
  return (ledger.settings.get('random_faults') ?? undefined) as RandomFaults | undefined;
}

function roll(ledger: Ledger, random: RandomFaults | undefined): Fault | undefined {
  if (random === undefined) return undefined;
  const n = ledger.atomically(() => ledger.facts.count('random_faults_asked', 1n));
  return randomFault(random, n);
}

export function setRandom(ledger: Ledger, random: RandomFaults | null): void {
  ledger.settings.put('random_faults', random);
  ledger.facts.put('random_faults_asked', '0');
}
