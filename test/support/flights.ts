import type { Flight, FlightLimits, NoReply, Reply, Shipment } from '../../src/once/wire/flight.ts';
import { type ChannelSettings, openChannel } from '../../src/once/wire/undiciChannel.ts';

export const token = 'secret-token';
export const path = '/api/bot/v1/messages/send';

export function shipmentTo(origin: string, body: string | Uint8Array = '{"content":"x"}'): Shipment {
  return { url: `${origin}${path}`, token: { reveal: () => token }, body: Buffer.from(body as string) };
}

/** Longer than a test may last. */
export const neverMs = 600_000;

export function limitsOf(
  timeoutMs = 5000,
  cut = new AbortController().signal,
  lastCheck: FlightLimits['lastCheck'] = () => undefined,
): FlightLimits {
  return { timeoutMs, cut, lastCheck };
}

export function settingsFor(origin: string, change: Partial<ChannelSettings> = {}): ChannelSettings {
  return { origin, env: {}, keepAlive: false, userAgent: 'botctl/test', ...change };
}

/** One flight over its own channel. */
export async function flyTo(
  origin: string,
  { timeoutMs, cut, lastCheck, ...change }: Partial<ChannelSettings & FlightLimits> = {},
): Promise<Flight> {
  const channel = openChannel(settingsFor(origin, change));
  try {
    return await channel.fly(shipmentTo(origin), limitsOf(timeoutMs, cut, lastCheck));
  } finally {
    await channel.close();
  }
}

export function noReply(flight: Flight): NoReply {
  if (flight.came !== 'nothing') throw new Error(`a reply came: ${flight.status}`);
  return flight;
}

export function reply(flight: Flight): Reply {
  if (flight.came !== 'reply') throw new Error(`no reply came: ${JSON.stringify(flight.trouble)}`);
  return flight;
}
