import type { Service } from '../service.ts';
import type { Effect } from '../store/effects.ts';
import { type Html, html } from './html.ts';

type Button = { label?: unknown; style?: unknown; custom_id?: unknown };
type Row = { components?: Button[] };
type Message = { conversation_id: string; content: string; reply_to_message_id?: string; components?: Row[] };

/** The conversations as chats, their newest messages last. */
export function conversationsSection({ ledger }: Service, effects: readonly Effect[]): Html {
  const messages = effects.filter(({ kind }) => kind === 'message').reverse();
  return html`${ledger.conversations.list().map((id) => {
    const own = messages.filter((effect) => messageOf(effect).conversation_id === id);
    return html`<article class="chat" aria-labelledby="chat-${id}">
      <h3 id="chat-${id}">${id}</h3>
      ${own.length === 0 ? html`<p class="none">No messages yet.</p>` : html`<ol>${own.map(bubble)}</ol>`}
    </article>`;
  })}`;
}

const messageOf = ({ request }: Effect): Message => JSON.parse(request) as Message;

function bubble(effect: Effect): Html {
  const { content, reply_to_message_id: replyTo, components = [] } = messageOf(effect);
  const at = new Date(effect.atMs).toISOString();
  return html`<li id="${effect.id}">
    ${replyTo === undefined ? '' : html`<p class="reply">in reply to ${replyTo}</p>`}
    <p class="content" dir="auto">${content}</p>
    ${components.map((row, place) => buttonRow(row, `${effect.id}-${place}`))}
    <output aria-live="polite"></output>
    <footer><time datetime="${at}">${at.slice(11, 19)}</time> <code>${effect.id}</code></footer>
  </li>`;
}

function buttonRow({ components = [] }: Row, id: string): Html {
  const buttons = components.map((button, place) => {
    const style = ['success', 'danger'].find((name) => name === button.style) ?? 'plain';
    const label = String(button.label ?? '');
    const press = String(button.custom_id ?? '');
    return html`<button type="button" id="${id}-${place}" class="${style}" data-press="${press}">${label}</button>`;
  });
  return html`<div class="row" role="group" aria-label="Buttons">${buttons}</div>`;
}
