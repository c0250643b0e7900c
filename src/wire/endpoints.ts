import type { Kind } from '../intent/wanted.ts';

const paths: Readonly<Record<Kind, string>> = {
  message: '/api/bot/v1/messages/send',
  transfer: '/api/bot/v1/wallet/transfers',
};

export function endpoint(serviceUrl: string, kind: Kind): string {
  return `${serviceUrl}${paths[kind]}`;
}
