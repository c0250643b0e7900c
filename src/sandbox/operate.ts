import { admit, type Knock } from './gate.ts';
import { postMessage } from './message.ts';
import { readMessage } from './messagePayload.ts';
import { type Answer, type Deed, doOnce } from './once.ts';
import type { Operation } from './operation.ts';
import { type Checked, check, type Fields } from './payload.ts';
import { type Refusal, refusal, refusalReply } from './reply.ts';
import { keyIn, readRequest } from './requestJson.ts';
import { type RequestContext, replyContext, type Service } from './service.ts';
import { NoChainError } from './solana/nativeVm.ts';
import { makeTransfer } from './transfer.ts';
import { readTransfer } from './transferPayload.ts';

export type OperationRequest = Knock & { body: Buffer };

/** One request to the Bot API, from its bytes to its reply. */
export function operate(request: OperationRequest, service: Service): Answer {
  const { operation } = request;
  const base = replyContext(service);
  const refuse = (refused: Refusal, key?: string): Answer => ({
    reply: refusalReply(refused, base),
    reason: refused.code,
    ...(key === undefined ? {} : { key }),
  });
  const admitted = admit(request, base, service);
  if (admitted.kind === 'refusal') return refuse(admitted);
  const body = readRequest(request.body);
  if (!body.ok) return refuse(invalid(operation, body.field, body.rule));
  const { fields, text, hash } = body.value;
  const context = { ...base, token: admitted.token, bodyText: text, bodyHash: hash };
  try {
    const deed = readDeed(operation, fields, context, service);
    if (!deed.ok) return refuse(invalid(operation, deed.field, deed.rule), keyIn(fields));
    return doOnce(deed.value, context, service);
  } catch (error) {
    if (!(error instanceof NoChainError)) throw error;
    return refuse(refusal(503, 'chain_unavailable', error.message), keyIn(fields));
  }
}

function readDeed(
  operation: Operation,
  fields: Fields,
  context: RequestContext,
  service: Service,
): Checked<Deed> {
  if (operation === 'message') {
    return check(() => {
      const payload = readMessage(fields);
      return { operation, key: payload.key, perform: () => postMessage(payload, context, service) };
    });
  }
  return check(() => {
    const payload = readTransfer(fields, (name) => service.ledger.accounts.asset(name));
    // Loaded before the transaction begins: others need not wait for it.
    const chain = service.loadChain();
    return { operation, key: payload.key, perform: () => makeTransfer(payload, chain, context, service) };
  });
}

function invalid(operation: Operation, field: string, rule: string): Refusal {
  const code = operation === 'message' ? 'invalid_payload' : 'invalid_transfer';
  return { ...refusal(400, code, `${field} ${rule}.`), field };
}
