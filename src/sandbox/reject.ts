import type { IncomingMessage } from 'node:http';
import { type Outlet, send } from './delivery.ts';
import { type Rejection, type Reply, rejection, rejectionReply } from './reply.ts';
import type { RequestLog } from './requestLog.ts';
import { replyContext, type Service } from './service.ts';

export type LoggedReply = Omit<RequestLog, 'at' | 'operation'>;

export function reject(
  rejected: Rejection,
  request: IncomingMessage,
  outlet: Outlet,
  service: Service,
): LoggedReply {
  request.resume();
  return { status: send(render(rejected, service), outlet), reason: rejected.code };
}

export function notAllowed(allow: string): Rejection {
  return { ...rejection(405, 'method_not_allowed', `Use ${allow}.`), headers: [['Allow', allow]] };
}

export function render(rejected: Rejection, service: Service): Reply {
  return rejectionReply(rejected, replyContext(service));
}
