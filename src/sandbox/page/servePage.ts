import { type Outlet, send } from '../delivery.ts';
import { type Reply, rejection, rejectionReply } from '../reply.ts';
import { replyContext, type Service } from '../service.ts';
import type { LivePages } from './live.ts';
import { page } from './page.ts';
import { script } from './script.ts';
import { style } from './style.ts';

/** Nothing from elsewhere, nothing written into the page runs, and no other page may frame it. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const documents: Readonly<Record<string, { type: string; text: (service: Service) => string }>> = {
  '/': { type: 'text/html', text: page },
  '/page.css': { type: 'text/css', text: () => style },
  '/page.js': { type: 'text/javascript', text: () => script },
};

export const pagePaths: readonly string[] = [...Object.keys(documents), '/events'];

/** The page for people; the status that left. */
export function servePage(path: string, outlet: Outlet, service: Service, live: LivePages): number {
  const document = documents[path];
  if (document !== undefined) return send(reply(document.type, document.text(service)), outlet);
  if (live.isFull) {
    const full = rejection(503, 'too_many_pages', 'Too many pages are open.');
    return send(rejectionReply(full, replyContext(service)), outlet);
  }
  live.show(outlet.response);
  return 200;
}

function reply(type: string, text: string): Reply {
  return {
    status: 200,
    headers: [
      ['Content-Type', `${type}; charset=utf-8`],
      ['Content-Security-Policy', policy],
      ['X-Content-Type-Options', 'nosniff'],
      ['Referrer-Policy', 'no-referrer'],
      ['Cache-Control', 'no-store'],
    ],
    body: Buffer.from(text, 'utf8'),
  };
}
