import type { MessagePayload } from './messagePayload.ts';
import type { Done } from './once.ts';
import { type Rejection, rejection } from './reply.ts';
import type { RequestContext, Service } from './service.ts';

export function postMessage(
  payload: MessagePayload,
  context: RequestContext,
  { ledger, derived }: Service,
): Done | Rejection {
  const { conversationId, content, components, replyTo } = payload;
  if (!ledger.conversations.has(conversationId)) {
    const [known = ''] = ledger.conversations.list();
    const message = `There is no conversation ${JSON.stringify(conversationId.slice(0, 64))}; there is ${known}.`;
    return { ...rejection(404, 'conversation_not_found', message), field: 'conversation_id' };
  }
  const id = derived.id('msg', ledger.effects.nextSeq());
  const message = {
    id,
    conversation_id: conversationId,
    content,
    ...(components === undefined ? {} : { components }),
    ...(replyTo === undefined ? {} : { reply_to_message_id: replyTo }),
    created_at: new Date(context.nowMs).toISOString(),
  };
  return { kind: 'done', id, signature: null, fields: { message, request_id: context.requestId } };
}
