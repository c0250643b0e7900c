import type { Readings } from '../../../src/sandbox/readings.ts';
import type { Operation } from '../../jobs.ts';

export type Reading = {
  readonly name: string;
  readonly change: Partial<Readings>;
  /** Whom it concerns; both, where it is not said. */
  readonly only?: Operation;
  /** Its successes prove nothing: they are held. */
  readonly isUnproven?: true;
  /** A repeated key is answered with 409, which proves nothing of a transfer. */
  readonly isConflicting?: true;
  /** A repeated key makes it happen twice. */
  readonly isForgetful?: true;
  /** Run in all three ways under each fault; the others take turns. */
  readonly inEveryWay?: true;
};

/** Each thing that the service's document leaves open, both ways. */
const readings: readonly Reading[] = [
  { name: 'as documented', change: {}, inEveryWay: true },
  { name: 'success 201', change: { success_status: 201 } },
  { name: 'success 202', change: { success_status: 202 } },
  { name: 'success 204', change: { success_status: 204 }, isUnproven: true },
  { name: 'status submitted', change: { transfer_status: 'submitted' }, only: 'transfer' },
  { name: 'status unheard of', change: { transfer_status: 'queued' }, only: 'transfer' },
  { name: 'status failed', change: { transfer_status: 'failed' }, only: 'transfer', isUnproven: true },
  {
    name: 'repeated transfers rejected',
    change: { repeated_transfer_key: 'conflict' },
    only: 'transfer',
    isConflicting: true,
    inEveryWay: true,
  },
  {
    name: 'repeated messages replayed',
    change: { repeated_message_key: 'replay' },
    only: 'message',
    inEveryWay: true,
  },
  { name: 'another body invalid', change: { other_body: 'invalid' } },
  { name: 'another body a conflict', change: { other_body: 'conflict' } },
  { name: 'another body unprocessable', change: { other_body: 'unprocessable' } },
  { name: 'keys of each token', change: { key_scope: 'token' } },
  { name: 'flat errors', change: { error_body: 'flat' } },
  { name: 'errors as text', change: { error_body: 'text' } },
  { name: 'errors as pages', change: { error_body: 'html' } },
  { name: 'empty errors', change: { error_body: 'empty' } },
  { name: 'more fields', change: { extra_fields: { error: null, trace: { id: 7 } } } },
  { name: 'an error inside a success', change: { extra_fields: { error: 'late' } }, isUnproven: true },
  { name: 'no signature', change: { omit_fields: ['signature'] }, only: 'transfer' },
  { name: 'no transfer id', change: { omit_fields: ['transfer_id'] }, only: 'transfer' },
  {
    name: 'neither signature nor id',
    change: { omit_fields: ['signature', 'transfer_id'] },
    only: 'transfer',
    isUnproven: true,
  },
  { name: 'no message', change: { omit_fields: ['message'] }, only: 'message', isUnproven: true },
  { name: 'no request id', change: { omit_fields: ['request_id'] }, only: 'message' },
  { name: 'JSON called text', change: { content_type: 'text/plain' } },
  { name: 'a rate limit, in seconds', change: limited('seconds') },
  { name: 'a rate limit, as a date', change: limited('date') },
  { name: 'a rate limit, unsaid', change: limited('none') },
  {
    name: 'transfer keys ignored',
    change: { repeated_transfer_key: 'ignore' },
    only: 'transfer',
    isForgetful: true,
  },
  {
    name: 'message keys ignored',
    change: { repeated_message_key: 'ignore' },
    only: 'message',
    isForgetful: true,
  },
  { name: 'keys forgotten at once', change: { key_memory_ms: 0 }, isForgetful: true },
];

function limited(retry_after: Readings['retry_after']): Partial<Readings> {
  return { rate_limit: { capacity: 1, per_second: 2 }, retry_after };
}

export function readingsOf(operation: Operation): Reading[] {
  return readings.filter(({ only }) => only === undefined || only === operation);
}
