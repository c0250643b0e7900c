import type { IncomingMessage } from 'node:http';
import { deliver, type Outlet, passes, send } from '../delivery.ts';
import type { Fate } from '../fate.ts';
import type { Fault } from '../faults.ts';
import { takeFrom } from '../gate.ts';
import type { LoggedReply } from '../reject.ts';
import { type Reply, retryAfter } from '../reply.ts';
import { readBody } from '../requestBody.ts';
import { decodeJson } from '../requestJson.ts';
import type { Service } from '../service.ts';
import { answerRpc, answerStatus, answerUnreadable, methodsIn } from './answer.ts';
import { type Node, nodeFor } from './node.ts';

/** A request to the node: its fate, its place in the bucket, its calls. */
export async function serveRpc(
  request: IncomingMessage,
  outlet: Outlet,
  service: Service,
  fate: Fate,
): Promise<LoggedReply> {
  const early = fate.ofRpc('unread');
  if (early !== undefined && !(await passes(early, outlet)))
    return meet(early, '', standIn(early, undefined), outlet);
  const body = await readBody(request);
  if (body.kind === 'broken-off') return { status: 0, reason: 'the client left' };
  if (body.kind === 'too-large')
    return {
      status: send(jsonReply(answerStatus(null, 413, 'A request may have 1 MiB at most.'), 413), outlet),
    };
  const decoded = decodeJson(body.bytes);
  if (decoded === undefined)
    return { status: send(jsonReply(answerUnreadable()), outlet), reason: 'Parse error' };
  const call = decoded.value;
  const node = nodeFor(request.url ?? '', service);
  if ('problem' in node)
    return { status: send(jsonReply(answerStatus(call, 400, node.problem), 400), outlet) };
  const methods = methodsIn(call);
  const reason = methods.join(' ');
  const fault = fate.ofRpc(methods);
  const waitMs = takeFrom('rpc', node.readings.rpc_rate_limit, service);
  if (waitMs !== undefined) return { status: send(tooMany(call, node, waitMs), outlet), reason };
  const reply = ownReply(fault, call, node);
  if (fault === undefined) return { status: send(reply, outlet), reason };
  return meet(fault, reason, reply, outlet);
}

async function meet(fault: Fault, methods: string, reply: Reply, outlet: Outlet): Promise<LoggedReply> {
  const status = await deliver(fault, reply, outlet);
  return { status, reason: `${methods} fault: ${fault.kind}`.trimStart() };
}

/** What a scripted status has where the script leaves it out: a success its answer, any other a failure of JSON-RPC. */
function ownReply(fault: Fault | undefined, call: unknown, node: Node): Reply {
  const status = fault?.kind === 'reply' ? fault.reply.status : 200;
  if (status === 429) return tooMany(call, node, 1000);
  if (fault !== undefined && (status < 200 || status > 299)) return standIn(fault, call);
  return jsonReply(answerRpc(call, node, fault));
}

function standIn(fault: Fault, call: unknown): Reply {
  const status = fault.kind === 'reply' ? fault.reply.status : 503;
  return jsonReply(answerStatus(call, status, 'A scripted fault.'), status);
}

function tooMany(call: unknown, { readings, nowMs }: Node, waitMs: number): Reply {
  const reply = jsonReply(answerStatus(call, 429, 'Too many requests for a specific RPC call'), 429);
  const after = retryAfter(waitMs, readings.retry_after, nowMs);
  return after === undefined ? reply : { ...reply, headers: [...reply.headers, ['Retry-After', after]] };
}

function jsonReply(text: string, status = 200): Reply {
  return { status, headers: [['Content-Type', 'application/json']], body: Buffer.from(text, 'utf8') };
}
