import type { Operation } from './operation.ts';
import type { Fields } from './payload.ts';
import type { Readings } from './readings.ts';
import { type Rejection, type Reply, rejection, rejectionReply, successReply } from './reply.ts';
import type { RequestContext, Service } from './service.ts';
import type { KeptReply, KeyName, RememberedKey } from './store/keys.ts';

/** What the service says, and for its own log: the key, the effect, or why there is none. */
export type Answer = { reply: Reply; key?: string; effect?: string; reason?: string };

/** What an operation did: its effect's id, and the fields of its reply. */
export type Done = { kind: 'done'; id: string; signature: string | null; fields: Fields };

export type Deed = { operation: Operation; key: string | undefined; perform: () => Done | Rejection };

/** The key, the effect and the reply in one transaction: all of it or nothing, alone among all processes. */
export function doOnce(deed: Deed, context: RequestContext, { ledger }: Service): Answer {
  return ledger.atomically(() => {
    const { operation, key } = deed;
    const named = key === undefined ? {} : { key };
    const name = key === undefined ? undefined : keyName(operation, key, context);
    const reading = repeatReading(operation, context.readings);
    const kept = name && reading !== 'ignore' ? remembered(ledger.keys.get(name), context) : undefined;
    if (kept !== undefined) return { ...repeat(kept, reading, context), ...named };
    const done = deed.perform();
    if (done.kind === 'rejection')
      return { reply: rejectionReply(done, context), reason: done.code, ...named };
    const { id, signature, fields } = done;
    const reply = successOf({ ...echoOf(context), ...fields }, context.readings);
    const { token, nowMs: atMs, bodyText: request, bodyHash } = context;
    ledger.effects.put({ kind: operation, id, token, key: key ?? null, atMs, request, signature });
    if (name !== undefined) ledger.keys.put(name, { atMs, bodyHash, effectId: id, reply });
    return { reply: successReply(reply), effect: signature ?? id, ...named };
  });
}

function keyName(operation: Operation, key: string, { readings, token }: RequestContext): KeyName {
  return { operation, scope: readings.key_scope === 'bot' ? '' : token, key };
}

type RepeatReading = Readings['repeated_message_key'];

function repeatReading(operation: Operation, readings: Readings): RepeatReading {
  return operation === 'message' ? readings.repeated_message_key : readings.repeated_transfer_key;
}

function remembered(
  kept: RememberedKey | undefined,
  { readings, nowMs }: RequestContext,
): RememberedKey | undefined {
  if (kept === undefined) return undefined;
  const memoryMs = readings.key_memory_ms;
  return memoryMs === null || nowMs - kept.atMs < memoryMs ? kept : undefined;
}

function repeat(kept: RememberedKey, reading: RepeatReading, context: RequestContext): Answer {
  const other = kept.bodyHash === context.bodyHash ? undefined : otherBody(context.readings);
  const rejected = other ?? (reading === 'conflict' ? duplicateKey : undefined);
  if (rejected !== undefined) return { reply: rejectionReply(rejected, context), reason: rejected.code };
  return { reply: successReply(kept.reply), reason: `repeats ${kept.effectId}` };
}

const duplicateKey = rejection(409, 'duplicate_idempotency_key', 'This idempotency key was already used.');

function otherBody({ other_body }: Readings): Rejection | undefined {
  const message = 'This idempotency key was used for another request.';
  switch (other_body) {
    case 'as-repeat':
      return undefined;
    case 'invalid':
      return { ...rejection(400, 'idempotency_key_reused', message), field: 'idempotency_key' };
    case 'conflict':
      return duplicateKey;
    case 'unprocessable':
      return rejection(422, 'idempotency_key_reused', message);
  }
}

/** What the request said, as it said it: of a repeated key, what the first request said. */
function echoOf({ readings, bodyText }: RequestContext): Fields {
  if (readings.echo_fields.length === 0) return {};
  const requested = Object.entries(JSON.parse(bodyText) as Fields);
  return Object.fromEntries(requested.filter(([name]) => readings.echo_fields.includes(name)));
}

function successOf(fields: Fields, readings: Readings): KeptReply {
  const shown = Object.entries(fields).filter(([name]) => !readings.omit_fields.includes(name));
  const body = JSON.stringify({ ...Object.fromEntries(shown), ...readings.extra_fields });
  return {
    status: readings.success_status,
    contentType: readings.content_type ?? 'application/json',
    body,
  };
}
