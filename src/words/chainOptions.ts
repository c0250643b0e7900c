import { Failure, type FailureCode } from '../errors.ts';
import { counted } from './list.ts';
import { undecided, unsent } from './nothing.ts';
import type { Words } from './phrases.ts';

export function waitTimeoutAlone(): Failure {
  return new Failure('usage', unsent('--wait-timeout is given without --wait'), { hint: 'Add --wait.' });
}

export function notAWaitTimeout(text: string, rule: string): Failure {
  return new Failure('usage', unsent(`--wait-timeout ${JSON.stringify(text)} is not a duration`), {
    hint: rule,
  });
}

export function whichToVerify(all: boolean): Failure {
  return new Failure(
    'usage',
    undecided(all ? '--all and IDs are both given' : 'Nothing is named to be verified'),
    {
      hint: 'Name intents, or use --all for every transfer without a final verdict.',
    },
  );
}

export function withAllOnly(option: string): Failure {
  return new Failure('usage', undecided(`--${option} goes with --all only`), {
    hint: 'Add --all, or leave it out.',
  });
}

export function acknowledgeWithReason(): Failure {
  return new Failure('usage', undecided('--acknowledge and --reason go together, with IDs'), {
    hint: 'Say what was done about it: --acknowledge --reason "refunded by the service, ticket 42".',
  });
}

export function nothingToAcknowledge(id: string): Failure {
  return new Failure('not-allowed-now', undecided(`The chain does not contradict intent ${id}`), {
    hint: 'Only a contradiction is acknowledged. To look at the chain again:',
    next: [['verify', id]],
  });
}

export function verifiedSummary(counts: Readonly<Record<string, number>>): string {
  const { proven = 0, contradicted = 0, undecided: open = 0 } = counts;
  return `${proven} proven, ${contradicted} contradicted, ${open} undecided.`;
}

export const nothingToVerify = 'Every transfer has its final verdict.';

export const verifyingText = (done: number): string => `${done} verified`;

/** How `--all` ends where not all is proven. */
export function someUnproven(contradicted: number, open: number): { code: FailureCode; words: Words } {
  if (contradicted > 0)
    return {
      code: 'contradicted',
      words: {
        message: `The chain contradicts ${counted(contradicted, 'transfer')}${open === 0 ? '' : `, and ${open} more are undecided`}.`,
        hint: 'Look at each of them above: ask the service what became of it, and acknowledge it when it is dealt with.',
      },
    };
  return {
    code: open === 1 ? 'unproven' : 'some-unproven',
    words: {
      message: `The chain has not decided ${counted(open, 'transfer')}.`,
      hint: 'A miss proves nothing. Run the same command again later.',
    },
  };
}
