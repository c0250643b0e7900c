import type { Gauge, Paint } from './display.ts';

type MeterStream = {
  /** Redraws one line in place; without it a line is said now and then. */
  readonly draws: boolean;
  readonly write: (text: string) => void;
  readonly columns: number;
  readonly paint: Paint;
};

const redrawMs = 100;
const sayMs = 10_000;
const barCells = 16;
/** In a narrower terminal the words need all of it. */
const leastWithBar = 60;
/** So much is left free behind it: what a terminal echoes of Ctrl-C must not begin another line. */
const roomForEcho = 3;
const clearLine = '\r\x1b[2K';

function drawn({ share, text }: Gauge, { columns, paint }: MeterStream): string {
  const cells = columns < leastWithBar ? 0 : barCells;
  const full = Math.round(cells * Math.min(1, Math.max(0, share)));
  const bar = `${'█'.repeat(full)}${'░'.repeat(cells - full)}`;
  const percent = `${Math.floor(100 * share)}%`.padStart(cells === 0 ? 0 : 4);
  const room = Math.max(0, columns - cells - percent.length - 2 - roomForEcho);
  return `${paint.cyan(bar)}${percent}  ${text.slice(0, room)}`;
}

/** A line of progress that keeps out of the way of what else is said on the same stream. */
export class Meter {
  readonly #gauge: () => Gauge;
  readonly #stream: MeterStream;
  readonly #timer: NodeJS.Timeout;

  constructor(gauge: () => Gauge, stream: MeterStream) {
    this.#gauge = gauge;
    this.#stream = stream;
    this.#timer = setInterval(() => this.#show(), stream.draws ? redrawMs : sayMs);
    if (stream.draws) this.#show();
  }

  /** Says a line above the bar. */
  say(line: string): void {
    this.#stream.write(`${this.#stream.draws ? clearLine : ''}${line}\n`);
    if (this.#stream.draws) this.#show();
  }

  stop(): void {
    clearInterval(this.#timer);
    if (this.#stream.draws) this.#stream.write(clearLine);
  }

  #show(): void {
    const gauge = this.#gauge();
    const { draws, write } = this.#stream;
    write(draws ? `${clearLine}${drawn(gauge, this.#stream)}` : `${gauge.text}\n`);
  }
}
