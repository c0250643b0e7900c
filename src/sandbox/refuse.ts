import type { IncomingMessage } from 'node:http';
import { type Outlet, send } from './delivery.ts';
import { type Refusal, type Reply, refusal, refusalReply } from './reply.ts';
import type { RequestLine } from './requestLine.ts';
import { replyContext, type Service } from './service.ts';

export type Told = Omit<RequestLine, 'at' | 'operation'>;

export function refuse(refused: Refusal, request: IncomingMessage, outlet: Outlet, service: Service): Told {
  request.resume();
  return { status: send(render(refused, service), outlet), reason: refused.code };
}

export function notAllowed(allow: string): Refusal {
  return { ...refusal(405, 'method_not_allowed', `Use ${allow}.`), headers: [['Allow', allow]] };
}

export function render(refused: Refusal, service: Service): Reply {
  return refusalReply(refused, replyContext(service));
}
