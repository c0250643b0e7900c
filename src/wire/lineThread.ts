import { parentPort, workerData } from 'node:worker_threads';
import { poolLines } from './linePool.ts';
import {
  type Departure,
  type FromLine,
  type Landing,
  packFlight,
  type ToLine,
  unpack,
} from './threadMail.ts';
import { type LineSettings, openLine } from './undiciLine.ts';

// The thread of src/wire/threadLine.ts: flies what it is given, and tells what came of it.

const line = poolLines(() => openLine({ ...(workerData as LineSettings), env: process.env }));
const flying = new Map<number, AbortController>();
let landed: FromLine = [];

parentPort?.on('message', ({ departing, cut }: ToLine) => {
  for (const departure of departing) void fly(departure);
  for (const n of cut) flying.get(n)?.abort();
});
// Says that it has begun: what was given to it may have left.
tellAll();

async function fly({ n, url, token, body, timeoutMs }: Departure): Promise<void> {
  const cut = new AbortController();
  flying.set(n, cut);
  const shipment = { url, token: { reveal: () => token }, body: unpack(body) };
  const flight = await line.fly(shipment, { timeoutMs, cut: cut.signal });
  flying.delete(n);
  tell({ n, flight: packFlight(flight) });
}

/** All that lands in one turn of the event loop is told at once. */
function tell(landing: Landing): void {
  if (landed.length === 0) setImmediate(tellAll);
  landed.push(landing);
}

function tellAll(): void {
  parentPort?.postMessage(landed);
  landed = [];
}
