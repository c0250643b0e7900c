import type { IncomingMessage } from 'node:http';
import { deliver, type Outlet, passes, send } from './delivery.ts';
import type { Fate } from './fate.ts';
import type { Fault } from './faults.ts';
import type { Answer } from './once.ts';
import { type OperationRequest, operate } from './operate.ts';
import type { Operation } from './operation.ts';
import { type LoggedReply, render } from './reject.ts';
import { type Reply, rejection } from './reply.ts';
import { type ReadBody, readBody } from './requestBody.ts';
import { decodeJson, keyIn } from './requestJson.ts';
import type { Service } from './service.ts';

/** One request to an operation: read it, meet its fate, do it, answer. */
export async function serveOperation(
  operation: Operation,
  request: IncomingMessage,
  outlet: Outlet,
  service: Service,
  fate: Fate,
): Promise<LoggedReply> {
  const early = fate.beforeReading(operation);
  if (early !== undefined && !(await passes(early, outlet)))
    return endEarly(early, undefined, outlet, service);
  const body = await readBody(request);
  if (body.kind !== 'whole') return rejectBody(body, outlet, service);
  const wanted: OperationRequest = {
    operation,
    authorization: authorizationOf(request),
    contentType: request.headers['content-type'],
    body: body.bytes,
  };
  const key = keyIn(decodeJson(body.bytes)?.value);
  const fault = fate.afterReading(operation, key);
  if (fault?.when === 'before' && !(await passes(fault, outlet)))
    return endEarly(fault, key, outlet, service);
  const answer = operate(wanted, service);
  if (fault?.when === 'after') return logged(answer, await deliver(fault, answer.reply, outlet), fault);
  return logged(answer, send(answer.reply, outlet), fault ?? early);
}

async function endEarly(
  fault: Fault,
  key: string | undefined,
  outlet: Outlet,
  service: Service,
): Promise<LoggedReply> {
  const status = await deliver(fault, standIn(fault, service), outlet);
  const named = key === undefined ? {} : { key };
  return { status, reason: `fault: ${fault.kind}, ${fault.when}`, ...named };
}

/** What the service would say of itself under such a status. */
function standIn(fault: Fault, service: Service): Reply {
  const status = fault.kind === 'reply' ? fault.reply.status : 503;
  const late = status === 429 ? { retryAfterMs: 1000 } : {};
  const code = status === 429 ? 'rate_limited' : status >= 500 ? 'internal' : 'scripted';
  return render({ ...rejection(status, code, 'A scripted fault.'), ...late }, service);
}

function rejectBody(
  body: Exclude<ReadBody, { kind: 'whole' }>,
  outlet: Outlet,
  service: Service,
): LoggedReply {
  if (body.kind === 'broken-off') return { status: 0, reason: 'the client left' };
  const tooLarge = rejection(413, 'payload_too_large', 'A request may have 1 MiB at most.');
  const reply = render({ ...tooLarge, headers: [['Connection', 'close']] }, service);
  return { status: send(reply, outlet), reason: tooLarge.code };
}

function logged({ key, effect, reason }: Answer, status: number, fault: Fault | undefined): LoggedReply {
  const met =
    fault === undefined || fault.kind === 'pass' ? undefined : `fault: ${fault.kind}, ${fault.when}`;
  const left = status === 0 && met === undefined ? 'the client left' : undefined;
  const why = met !== undefined && reason !== undefined ? `${met}; ${reason}` : (met ?? left ?? reason);
  return {
    status,
    ...(key === undefined ? {} : { key }),
    ...(effect === undefined ? {} : { effect }),
    ...(why === undefined ? {} : { reason: why }),
  };
}

/** node:http keeps only the first of two; whoever sends two must be told. */
function authorizationOf(request: IncomingMessage): string[] {
  const { rawHeaders } = request;
  return rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'authorization',
  );
}
