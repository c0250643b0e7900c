import type { Chain } from './chain.ts';
import { admit, type RequestHead } from './gate.ts';
import { postMessage } from './message.ts';
import { readMessage } from './messagePayload.ts';
import { type Answer, type Deed, type Done, doOnce } from './once.ts';
import type { Operation } from './operation.ts';
import { type Checked, check, type Fields } from './payload.ts';
import { type Rejection, rejection, rejectionReply } from './reply.ts';
import { keyIn, readRequest } from './requestJson.ts';
import { type RequestContext, replyContext, type Service } from './service.ts';
import { NoChainError } from './solana/nativeVm.ts';
import { makeTransfer } from './transfer.ts';
import { readTransfer } from './transferPayload.ts';

export type OperationRequest = RequestHead & { body: Buffer };

/** One request to the Bot API, from its bytes to its reply. */
export function operate(request: OperationRequest, service: Service): Answer {
  const { operation } = request;
  const base = replyContext(service);
  const reject = (rejected: Rejection, key?: string): Answer => ({
    reply: rejectionReply(rejected, base),
    reason: rejected.code,
    ...(key === undefined ? {} : { key }),
  });
  const admitted = admit(request, base, service);
  if (admitted.kind === 'rejection') return reject(admitted);
  const body = readRequest(request.body);
  if (!body.ok) return reject(invalid(operation, body.field, body.rule));
  const { fields, text, hash } = body.value;
  const context = { ...base, token: admitted.token, bodyText: text, bodyHash: hash };
  const deed = readDeed(operation, fields, context, service);
  if (!deed.ok) return reject(invalid(operation, deed.field, deed.rule), keyIn(fields));
  return doOnce(deed.value, context, service);
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
    const chain = chainOf(service);
    const perform = (): Done | Rejection =>
      'kind' in chain ? chain : makeTransfer(payload, chain, context, service);
    return { operation, key: payload.key, perform };
  });
}

/** A 4xx: nothing is done, which a 503 would leave open. */
function chainOf(service: Service): Chain | Rejection {
  try {
    return service.loadChain();
  } catch (error) {
    if (!(error instanceof NoChainError)) throw error;
    return rejection(422, 'chain_unavailable', error.message);
  }
}

function invalid(operation: Operation, field: string, rule: string): Rejection {
  const code = operation === 'message' ? 'invalid_payload' : 'invalid_transfer';
  return { ...rejection(400, code, `${field} ${rule}.`), field };
}
