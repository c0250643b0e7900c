import type { Claim } from './claim.ts';
import type { EngineContext } from './context.ts';
import { stateAtEnd } from './record.ts';

/** Ends the claim of what was put on record to be sent, and was not: not a byte of it has left. */
export async function giveBack({ intent, number }: Claim, { commit, clock }: EngineContext): Promise<void> {
  const { id, tainted } = intent;
  await commit(async (tx) => {
    const nowMs = clock.now();
    await tx.endAttempt(
      id,
      number,
      {
        phase: 'not-sent',
        verdict: 'unsent',
        status: undefined,
        requestId: undefined,
        trouble: { is: 'given-back' },
        retryAfterMs: undefined,
        duplicate: false,
        verified: true,
        reply: undefined,
        headers: {},
      },
      nowMs,
    );
    const state = stateAtEnd({ verdict: 'unsent', next: 'stop' }, tainted, { because: 'nothing-to-gain' });
    await tx.conclude(id, state, undefined, nowMs);
  });
}
