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
const clearLine = '\r\x1b[2K';

function drawn({ share, text }: Gauge, { columns, paint }: MeterStream): string {
  const full = Math.round(barCells * Math.min(1, Math.max(0, share)));
  const bar = `${'█'.repeat(full)}${'░'.repeat(barCells - full)}`;
  const percent = `${Math.floor(100 * share)}%`.padStart(4);
  const room = Math.max(0, columns - barCells - percent.length - 3);
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
