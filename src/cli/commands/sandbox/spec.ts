import type { LeafSpec } from '../../parse/command.ts';

export const sandboxSpec: LeafSpec = {
  name: 'sandbox',
  does: 'looks',
  about: 'Run the whole Bot API on this machine, with real Solana transfers',
  details: `Prints its base URL, tokens, conversations, wallet and Solana node, and the line
that makes a profile for it, then a line per request, until Ctrl-C. It listens on 127.0.0.1 only, and writes only to its data folder;
'botctl --sandbox send' uses the same folder, and both may run at once.

A reading is one way to understand what the service's document leaves open; a
fault is what a network does. Set both with JSON on the same port. They are kept
in the data folder and hold for every process that shares it:

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
extra_fields, omit_fields, echo_fields, content_type, retry_after, rate_limit;
of the chain: slot_ms, commitment_held_at, node_lag_slots, node_history,
genesis_hash, rpc_rate_limit, transaction_version, fee_payer, also_pays,
reply_signature, token_replies.
Faults: pass, drop, reset, stall, drip, cut, garbage, twice, reply (any status,
headers and body), rpc-error, twist; when: unread, before, after (the effect);
for one operation (message, transfer, rpc), key or JSON-RPC method.
docs/sandbox.md says what each does.

Solana JSON-RPC is at /rpc, and a page for people at /.`,
  arguments: [
    {
      usage: '[action]',
      about: 'reset: begin anew; fund: give the wallet money; without it: serve',
      completes: ['reset', 'fund'],
    },
  ],
  options: [
    { flags: '--port <n>', about: 'the port to listen on; 0: any (default: 8420, or any where it is taken)' },
    { flags: '--data <dir>', about: 'keep everything in this folder (default: the one --sandbox uses)' },
    { flags: '--ephemeral', about: 'use a new folder and remove it at the end' },
    { flags: '--seed <text>', about: 'derive tokens, wallet and random faults from this text' },
    { flags: '--fault-rate <r>', about: 'the share of requests that meet a random fault, 0 to 1' },
    { flags: '--amount <n>', about: 'fund: how much' },
    { flags: '--asset <asset>', about: 'fund: of what (default SOL)' },
    { flags: '--to <address>', about: 'fund: for whom (default: the bot’s wallet)' },
  ],
  examples: [
    { line: 'botctl sandbox', about: 'A service to try things on' },
    { line: 'botctl sandbox --ephemeral --json', about: 'For a test: the first line is one object' },
    { line: 'botctl sandbox fund --asset USDC --amount 5000', about: 'More money for the bot’s wallet' },
  ],
  exits: [0, 1, 2],
  load: async () => (await import('./run.ts')).run,
};
