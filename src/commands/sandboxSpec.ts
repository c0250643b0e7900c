import type { LeafSpec } from '../cli/spec.ts';

export const sandboxSpec: LeafSpec = {
  name: 'sandbox',
  about: 'Serve the whole Bot API on this machine, with real Solana transfers',
  details: `Prints its base URL, tokens, conversations and wallet, then a line per request,
until Ctrl-C. It listens on 127.0.0.1 only, and writes only to its data folder;
'botctl --sandbox send' uses the same folder, and both may run at once.

What the service's document leaves open is a reading; what networks do is a
fault. Both are set with JSON on the same port and kept in the data folder, so
that every process sharing it obeys them:

  GET  /control                what is set, and what the wallet holds
  GET  /control/ledger         every effect, with its key
  POST /control/readings       {"repeated_transfer_key": "conflict"}
  POST /control/faults         {"faults": [{"kind": "drop", "when": "after"}]}
                               {"random": {"seed": "s", "rate": 0.2}}
  POST /control/conversations  {"id": "conv_new"}
  POST /control/money          {"asset": "SOL", "amount": "5", "address": "…"}
  POST /control/forget-keys    {"key": "…"}
  POST /control/reset          {}

Readings: success_status, transfer_status, repeated_transfer_key,
repeated_message_key, other_body, key_scope, key_memory_ms, error_body,
extra_fields, omit_fields, content_type, retry_after, rate_limit.
Faults: pass, drop, reset, stall, drip, cut, garbage, reply (any status, headers
and body); when: unread, before, after (the effect); for one operation or key.

Solana JSON-RPC is at /rpc, and a page for people at /.`,
  options: [
    { flags: '--port <n>', about: 'listen on this port (default 0: any free one)' },
    { flags: '--data <dir>', about: 'keep everything there (default: the sandbox folder of --sandbox)' },
    { flags: '--ephemeral', about: 'keep everything in a new folder that is removed at the end' },
    { flags: '--seed <text>', about: 'the tokens and wallet of a new folder, and the dice, follow from it' },
    { flags: '--fault-rate <r>', about: 'meet this share of all requests with a random fault, 0 to 1' },
  ],
  examples: [
    { line: 'botctl sandbox', about: 'A service to try things on' },
    { line: 'botctl sandbox --ephemeral --json', about: 'For a test: the first line is one object' },
    {
      line: 'botctl sandbox --ephemeral --seed 7 --fault-rate 0.3',
      about: 'A bad day, the same one every time',
    },
  ],
  exits: [0, 1, 2],
  load: async () => (await import('./sandbox.ts')).run,
};
