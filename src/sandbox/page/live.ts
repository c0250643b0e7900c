import type { ServerResponse } from 'node:http';
import type { Service } from '../service.ts';
import { type SectionName, sections } from './sections.ts';

const lookEveryMs = 250;
const viewersAtMost = 20;

type Viewer = { response: ServerResponse; seen: Partial<Record<SectionName, string>> };

/** Tells open pages what has changed, as server-sent events: looked for together, and only while one is open. */
export class LivePages {
  readonly #service: Service;
  readonly #closing: AbortSignal;
  readonly #viewers = new Set<Viewer>();
  #timer: NodeJS.Timeout | undefined;

  constructor(service: Service, closing: AbortSignal) {
    this.#service = service;
    this.#closing = closing;
    closing.addEventListener('abort', () => this.#end(), { once: true });
  }

  get isFull(): boolean {
    return this.#viewers.size >= viewersAtMost || this.#closing.aborted;
  }

  show(response: ServerResponse): void {
    const viewer: Viewer = { response, seen: {} };
    this.#viewers.add(viewer);
    response.on('close', () => {
      this.#viewers.delete(viewer);
      this.#keepLooking();
    });
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    response.write('retry: 1000\n\n');
    this.#look();
    this.#keepLooking();
  }

  #keepLooking(): void {
    const isWatched = this.#viewers.size > 0;
    if (!isWatched) clearInterval(this.#timer);
    this.#timer = isWatched
      ? (this.#timer ?? setInterval(() => this.#look(), lookEveryMs).unref())
      : undefined;
  }

  /** A folder that is busy now is looked at again later. */
  #look(): void {
    let now: Record<SectionName, string>;
    try {
      now = sections(this.#service);
    } catch {
      return;
    }
    for (const viewer of this.#viewers) tell(viewer, now);
  }

  #end(): void {
    clearInterval(this.#timer);
    for (const { response } of this.#viewers) response.destroy();
  }
}

/** Who has not read what was said before is told later. */
function tell(viewer: Viewer, now: Record<SectionName, string>): void {
  if (viewer.response.writableNeedDrain) return;
  const names = Object.keys(now) as SectionName[];
  const changed = names.filter((name) => viewer.seen[name] !== now[name]);
  if (changed.length === 0) return;
  viewer.seen = now;
  const told = Object.fromEntries(changed.map((name) => [name, now[name]]));
  viewer.response.write(`data: ${JSON.stringify(told)}\n\n`);
}
