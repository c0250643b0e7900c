import * as z from 'zod';
import { commitments } from '../../src/chain/node.ts';
import { reasons } from '../../src/chain/transaction.ts';
import { chainVerdicts } from '../../src/chain/verdict.ts';
import { planKinds } from '../../src/once/engine/planKinds.ts';
import { failureExits } from '../../src/once/failures.ts';
import { states, verdicts } from '../../src/once/journal/columns.ts';

// Definitions of what `--json` prints. No command loads them: the tests check the output against them, and docs/json.md
// and the JSON Schema file are made from them.

export const utc = 'UTC, ISO 8601';
export const time = z.iso.datetime().describe(utc);
export const text = z.string();
const anything = z.looseObject({});

export function oneOf<Word extends string>(words: readonly Word[]) {
  return z.enum(words as readonly [Word, ...Word[]]);
}

function keysOf<Key extends string>(table: Readonly<Record<Key, unknown>>): Key[] {
  return Object.keys(table) as Key[];
}

export const head = {
  schema: z.literal('botctl/1').describe('the version of this format'),
  command: text.describe('the command, `config add` for one of a group'),
};

export const problem = z
  .strictObject({
    code: oneOf(keysOf(failureExits)).describe('what failed, by name'),
    message: text.describe('what happened, as a sentence'),
    hint: text.optional().describe('what to do next, as a sentence'),
    next: z.array(text).optional().describe('commands that do it, each to be pasted into a shell'),
    status: z.int().optional().describe('the HTTP status of the last reply'),
    request_id: text.optional().describe('the service’s own id of the last request'),
    remaining: text.optional().describe('what a policy still allows of the asset'),
    free_at: time.optional().describe('when a policy allows this, if nothing else is spent until then'),
    retry: oneOf(['same-command', 'after-fix', 'decide']).describe('what may be done next'),
  })
  .meta({ id: 'Problem', title: 'A failure' });

export const warnings = z.array(text).describe('what is odd, a sentence each');

export const request = anything.describe('the request’s body as it is sent, without the key');

const entry = z
  .strictObject({
    id: text.describe('unique in the journal; if botctl can ask, an unambiguous beginning is enough'),
    kind: oneOf(['message', 'transfer']),
    key: text.describe('the idempotency key, chosen once and never changed'),
    name: text.optional().describe('what the caller calls it (`--once`, `BOTCTL_RUN`, `--idempotency-key`)'),
    row: text.optional().describe('of a batch’s row: its own id'),
    columns: z
      .record(z.string(), text)
      .optional()
      .describe('of a batch’s row: the columns that botctl does not know, as they were when it began'),
    bot: text.describe('the profile’s name, or `env`, or `sandbox`'),
    base_url: text.describe('where it was sent; `sandbox` for the embedded service'),
    state: oneOf(states).describe('its state'),
    in_doubt: z.boolean().describe('an earlier attempt may have landed'),
    why: text.optional().describe('why it is held; `approval`: it waits for `approve` or `decline`'),
    approved: z.literal(true).optional().describe('a person approved it; `open`: and it is not sent yet'),
    resolved_as: oneOf(['happened', 'did-not-happen']).optional().describe('what was decided'),
    attempts: z.int().describe('requests made so far'),
    created_at: time,
    request,
  })
  .meta({ id: 'Entry', title: 'An entry' });

export const attempt = z
  .strictObject({
    number: z.int().describe('from 1'),
    started_at: time,
    ended_at: time.optional(),
    phase: oneOf(['not-sent', 'sent', 'replied', 'process-died']).optional().describe('how far it got'),
    verdict: oneOf(verdicts).optional().describe('what it proves; absent while it is in flight'),
    status: z.int().optional().describe('the HTTP status'),
    request_id: text.optional(),
    trouble: text.optional().describe('what went wrong on the way'),
    reply: text.optional().describe('the reply’s body, unchanged'),
  })
  .meta({ id: 'Attempt', title: 'An attempt' });

export const decision = z
  .strictObject({
    kind: oneOf(['happened', 'did-not-happen', 'send-again', 'proposed', 'approved', 'declined']),
    who: text.describe('user and host'),
    role: text.optional().describe('on a shared journal: the database role'),
    at: time,
    reason: text,
    signature: text.optional(),
  })
  .meta({ id: 'Decision', title: 'A decision' });

/** What a look at the chain shows about a transfer. */
const chain = z
  .strictObject({
    verdict: oneOf(chainVerdicts).describe(
      'only `proven` shows that it was paid; `likely` is not final yet, or nobody knows whose money it was',
    ),
    commitment: oneOf(commitments).optional().describe('how far the transaction has come'),
    signature: text.optional(),
    slot: z.int().optional(),
    block_time: z.int().optional().describe('seconds since 1970, as the node estimates it'),
    cluster: text.optional().describe('its name, else its genesis hash'),
    rpc: text.describe('the host of the node that was asked'),
    paid: z
      .strictObject({
        to: text,
        mint: text.optional().describe('absent for SOL'),
        units: text.describe('base units, as a text: they may be too large for a float'),
        decimals: z.int(),
        received: text.describe('what of them the recipient got'),
        fee_units: text.describe('what the mint kept'),
      })
      .optional(),
    reasons: z.array(oneOf(reasons)).describe('why it is no more than that'),
  })
  .meta({ id: 'Chain', title: 'What the chain says' });

/** What the service paid when it was asked several times, as far as a search found it. */
const seenPayment = z
  .strictObject({
    signature: text,
    at: time.optional(),
    own: z.literal(true).optional().describe('the one that the service’s reply named'),
    noted: z.literal(true).optional().describe('a person has noted that it was made as well'),
  })
  .meta({ id: 'SeenPayment', title: 'A payment that left the wallet' });

/** What a search found for a transfer in doubt that has no signature. It decides nothing. */
const candidate = z
  .strictObject({
    signature: text,
    slot: z.int(),
    at: time.optional(),
    memo: text.optional(),
  })
  .meta({ id: 'Candidate', title: 'A payment that may be a transfer in doubt' });

export const equalPayment = z
  .strictObject({
    entry: text,
    name: text.optional(),
    row: text.optional().describe('of a batch: the row’s own id'),
    bot: text,
    state: oneOf(states),
    resolved_as: oneOf(['happened', 'did-not-happen']).optional(),
    at: time.describe('its latest attempt'),
  })
  .meta({ id: 'EqualPayment', title: 'An equal payment under another entry' });

export const outcomeFields = {
  outcome: oneOf(states).describe('the entry’s state'),
  replayed: z.boolean().describe('nothing was sent now: this was done before'),
  duplicate: z.boolean().describe('the service said that it knew the key already'),
  entry,
  message: anything.optional().describe('the message as the service answered it'),
  transfer: anything
    .optional()
    .describe('the transfer as the service answered it: `transfer_id`, `status`, `signature`'),
  chain: chain.optional().describe('the latest look at the chain, or the one that proved it'),
  payments: z
    .array(seenPayment)
    .optional()
    .describe('if the service was asked twice: the equal payments that left the wallet; there should be one'),
  candidates: z
    .array(candidate)
    .optional()
    .describe('of a transfer in doubt: payments of exactly this that no other entry owns'),
  searched: z
    .strictObject({
      since: time.describe('where the search begins, two hours before its first attempt'),
      until: time,
      gap: text.optional().describe('why the search proves nothing'),
    })
    .optional(),
  request_id: text.optional().describe('the service’s own id of the request'),
  warnings,
  error: problem.optional(),
};

export const rerun = oneOf(keysOf(planKinds));

export const profile = z
  .strictObject({
    name: text,
    in_use: z.boolean(),
    base_url: text,
    token: z.strictObject({
      source: oneOf(['stored', 'env', 'file', 'command']),
      from: text.describe('the source as a phrase'),
      ending: text.optional().describe('its last characters, four at most'),
      problem: text.optional().describe('why there is nothing to show'),
    }),
    timeout: text.optional(),
    max_wait: text.optional(),
    policy: text.optional().describe('the file that says what it may spend'),
    rpc: text.optional().describe('the host of the Solana node, or the source of its URL; never the URL'),
    cluster: text.optional(),
    wallet: text.optional(),
    assets: z.record(text, text).optional().describe('the mints of assets, by their names'),
  })
  .meta({ id: 'Profile', title: 'A profile' });
