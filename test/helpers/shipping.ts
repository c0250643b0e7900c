import type { Flight, FlightLimits, NoReply, Reply, Shipment } from '../../src/wire/flight.ts';
import { type LineSettings, openLine } from '../../src/wire/undiciLine.ts';

export const token = 'secret-token';
export const path = '/api/bot/v1/messages/send';

export function shipmentTo(origin: string, body: string | Uint8Array = '{"content":"x"}'): Shipment {
  return { url: `${origin}${path}`, token: { reveal: () => token }, body: Buffer.from(body as string) };
}

export function limitsOf(timeoutMs = 5000, cut = new AbortController().signal): FlightLimits {
  return { timeoutMs, cut };
}

export function settingsFor(origin: string, change: Partial<LineSettings> = {}): LineSettings {
  return { origin, env: {}, keepAlive: false, userAgent: 'botctl/test', direct: false, ...change };
}

/** One flight over a line of its own. */
export async function flyTo(
  origin: string,
  { timeoutMs, cut, ...change }: Partial<LineSettings & FlightLimits> = {},
): Promise<Flight> {
  const line = openLine(settingsFor(origin, change));
  try {
    return await line.fly(shipmentTo(origin), limitsOf(timeoutMs, cut));
  } finally {
    await line.close();
  }
}

export function noReply(flight: Flight): NoReply {
  if (flight.came !== 'nothing') throw new Error(`a reply came: ${flight.status}`);
  return flight;
}

export function reply(flight: Flight): Reply {
  if (flight.came !== 'reply') throw new Error(`no reply came: ${flight.trouble}`);
  return flight;
}
