import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type EchoingService = { baseUrl: string; close(): void };

/** A text as services may repeat it. */
export function assetNamesOf(text: string): Readonly<Record<string, string>> {
  const bytes = Buffer.from(text);
  const each = (spell: (code: number) => string): string => [...bytes].map(spell).join('');
  return {
    url: each((code) => `%${code.toString(16)}`),
    html: each((code) => `&#${code};`),
    json: each((code) => `\\u00${code.toString(16)}`),
  };
}

/**
 * A service that gives the Authorization header back in everything it says, spelled in many ways: 200 to messages, 403
 * to transfers.
 */
export async function startEchoingService(): Promise<EchoingService> {
  const server = createServer((request, response) => {
    const echo = String(request.headers.authorization);
    const spelled = Object.values(assetNamesOf(echo));
    const isMessage = request.url?.endsWith('/messages/send') === true;
    request.resume().on('end', () => {
      response.writeHead(isMessage ? 200 : 403, {
        'Content-Type': 'application/json',
        'X-Request-Id': echo,
        'X-Echo': spelled,
      });
      response.end(
        JSON.stringify({ error: isMessage ? null : { message: echo }, message: { id: 'm', echo, spelled } }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => server.close(),
  };
}
