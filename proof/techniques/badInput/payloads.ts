import { recipient } from '../../../testing/sandbox.ts';
import type { Kind } from './kind.ts';
import { mutateJson } from './mutate.ts';

export const sampleMessage = {
  conversation_id: 'conv_demo',
  content: 'Hello, world',
  reply_to_message_id: 'msg_0',
  components: [
    {
      type: 'action_row',
      components: [{ type: 'button', label: 'Yes', style: 'success', custom_id: 'yes' }],
    },
  ],
};
const sampleTransfer = { to_address: recipient, asset: 'SOL', amount: '1.5', memo: 'rent' };

/** Parses as JSON's own parser does, which is stricter than some. A byte order mark at the start is ignored. */
function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/u, ''));
  } catch {
    return undefined;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, inner]) => [name, sorted(inner)] as const);
  return fields.sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Empty values count as absent. */
function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function withoutKey(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).filter(
    ([name, inner]) => name !== 'idempotency_key' && !isEmpty(inner),
  );
  return JSON.stringify(sorted(Object.fromEntries(fields)));
}

export const payloads: Kind = {
  name: 'payloads',
  count: 6000,
  make: (dice) => {
    const isMessage = dice.below(2) === 0;
    const stdin = mutateJson(isMessage ? sampleMessage : sampleTransfer, dice);
    const name = dice.below(3) === 0 ? ['--once', `n${dice.below(1e9)}`] : ['--once', `r${dice.below(1e9)}`];
    const requested = withoutKey(parsed(stdin));
    return {
      argv: [isMessage ? 'send' : 'transfer', '--payload', '-', ...name, '--json'],
      stdin,
      mostRequests: 1,
      isRequested: (body) => withoutKey(body) === requested,
    };
  },
};
