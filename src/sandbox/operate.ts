import type { IncomingMessage } from 'node:http';
import { type Execution, NoChainError, type SandboxChain } from './chain.ts';
import type { Fault, Operation } from './faults.ts';
import type { KeptReply, RememberedKey } from './ledger.ts';
import { type Asset, maxU64, sol, type TokenName, unitsOf } from './money.ts';
import { currentSlot, keepSlot, type Readings, readingsOf } from './readings.ts';
import { Rejection } from './rejection.ts';
import {
  deliver,
  type Outlet,
  passes,
  type Reply,
  type ReplyContext,
  rejectionReply,
  sendReply,
  successReply,
} from './reply.ts';
import {
  assertJson,
  decodeJson,
  FieldError,
  type Fields,
  keyIn,
  type LoggedReply,
  type MessagePayload,
  type RequestBody,
  readBody,
  readMessage,
  readRequest,
  readTransfer,
  type Service,
  type TransferPayload,
} from './request.ts';
import {
  createTokenAccount,
  decimal,
  type Instruction,
  memo,
  tokenAccountOf,
  transferSol,
  transferToken,
} from './solana.ts';

/** Serves one request to an operation: reads it, applies a fault, does it, and answers. */
export async function serveOperation(
  operation: Operation,
  request: IncomingMessage,
  outlet: Outlet,
  service: Service,
): Promise<LoggedReply> {
  const early = service.ledger.takeFault({ operation, unread: true });
  if (early !== undefined && !(await passes(early, outlet)))
    return logged({ reply: standIn(early, service) }, early, outlet);
  const body = await readBody(request);
  const key = keyIn(decodeJson(body)?.value);
  const fault = service.ledger.takeFault({ operation, unread: false, key });
  if (fault?.when === 'before' && !(await passes(fault, outlet)))
    return logged({ reply: standIn(fault, service), key }, fault, outlet);
  const answer = operate(operation, request, body, service);
  if (fault?.when === 'after') return logged(answer, fault, outlet);
  const status = sendReply(answer.reply, outlet);
  return { ...logOf(answer, fault ?? early), status };
}

/** The reply that the service itself would give with this status. */
function standIn({ status = 503 }: Fault, service: Service): Reply {
  const codes: Readonly<Record<number, string>> = { 409: 'conflict', 429: 'rate_limited' };
  const code = codes[status] ?? (status >= 500 ? 'internal' : 'scripted');
  const late = status === 429 ? { retryAfterMs: 1000 } : {};
  return rejectionReply(new Rejection(status, code, 'A scripted fault.', late), replyContext(service));
}

async function logged(answer: Answer, fault: Fault, outlet: Outlet): Promise<LoggedReply> {
  return { ...logOf(answer, fault), status: await deliver(fault, answer.reply, outlet) };
}

function logOf(
  { reply: _, reason, ...known }: Answer,
  fault: Fault | undefined,
): Omit<LoggedReply, 'status'> {
  const met = fault === undefined || fault.kind === 'pass' ? [] : [`fault: ${fault.kind}, ${fault.when}`];
  const why = [...met, ...(reason === undefined ? [] : [reason])].join('; ');
  return { ...known, reason: why === '' ? undefined : why };
}

function replyContext({ ledger, requestId, nowMs }: Service): ReplyContext {
  return { readings: readingsOf(ledger), requestId: requestId(), nowMs: nowMs() };
}

/** The reply and, for the log, the key and the effect or the reason for a refusal. */
type Answer = { reply: Reply; key?: string | undefined; effect?: string; reason?: string };

/** One admitted request: its token, its bytes, and the current readings of the document. */
type RequestContext = ReplyContext & { operation: Operation; token: TokenName; body: RequestBody };

/** Handles one Bot API request, from its bytes to its reply. */
function operate(operation: Operation, request: IncomingMessage, bytes: Buffer, service: Service): Answer {
  const base = replyContext(service);
  try {
    const token = admit(operation, request, base, service);
    const context = { ...base, operation, token, body: readRequest(bytes) };
    return doOnce(readDeed(context, service), context, service);
  } catch (error) {
    const rejected = error instanceof FieldError ? invalid(operation, error.field, error.message) : error;
    if (!(rejected instanceof Rejection)) throw error;
    const key = keyIn(decodeJson(bytes)?.value);
    return { reply: rejectionReply(rejected, base), reason: rejected.code, key };
  }
}

function invalid(operation: Operation, field: string, message: string): Rejection {
  const code = operation === 'message' ? 'invalid_payload' : 'invalid_transfer';
  return new Rejection(400, code, message, { field });
}

/** Every check that comes before the body. */
function admit(
  operation: Operation,
  request: IncomingMessage,
  { readings, nowMs }: ReplyContext,
  { ledger, derived: { tokens } }: Service,
): TokenName {
  const header = authorizationOf(request);
  const names: TokenName[] = ['full', 'no_send', 'no_wallet'];
  const token = names.find((name) => header === `Bot ${tokens[name]}`);
  if (token === undefined) throw new Rejection(401, 'invalid_token', 'The bot token is missing or invalid.');
  if (operation === 'message' && token === 'no_send')
    throw new Rejection(403, 'send_permission_missing', 'This bot has no send permission.');
  if (operation === 'transfer' && token === 'no_wallet')
    throw new Rejection(403, 'wallet_scope_disabled', 'The wallet transfer scope is disabled for this bot.');
  const limit = readings.rate_limit;
  const retryAfterMs =
    limit && ledger.atomically(() => ledger.takeFrom(`${token}/${operation}`, limit, nowMs));
  if (retryAfterMs) throw new Rejection(429, 'rate_limited', 'Too many requests.', { retryAfterMs });
  assertJson(request);
  return token;
}

/** node:http keeps only the first Authorization header, but a request with two must be refused. */
function authorizationOf({ rawHeaders }: IncomingMessage): string | undefined {
  const values = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'authorization',
  );
  return values.length === 1 ? values[0] : undefined;
}

/** The result of an operation: its effect's ID, and the fields of its reply. */
type Done = { id: string; signature: string | null; fields: Fields };

type Deed = { key: string | undefined; perform: () => Done };

function readDeed(context: RequestContext, service: Service): Deed {
  const { fields } = context.body;
  if (context.operation === 'message') {
    const payload = readMessage(fields);
    return { key: payload.key, perform: () => postMessage(payload, context, service) };
  }
  const payload = readTransfer(fields, service.derived);
  // Load it before the transaction begins: other requests must not wait for that.
  const chain = chainOf(service);
  return { key: payload.key, perform: () => makeTransfer(payload, chain, context, service) };
}

/** Without a chain, answers a 4xx, which says that nothing was done. A 503 would leave that open. */
function chainOf({ loadChain }: Service): SandboxChain {
  try {
    return loadChain();
  } catch (error) {
    if (!(error instanceof NoChainError)) throw error;
    throw new Rejection(422, 'chain_unavailable', error.message);
  }
}

/** Stores the key, the effect and the reply in one transaction that excludes all other processes. */
function doOnce({ key, perform }: Deed, context: RequestContext, { ledger }: Service): Answer {
  const { operation, readings, token, nowMs: atMs, body } = context;
  const name = { operation, scope: readings.key_scope === 'bot' ? '' : token, key: key ?? '' };
  const reading = operation === 'message' ? readings.repeated_message_key : readings.repeated_transfer_key;
  return ledger.atomically(() => {
    const kept = key === undefined || reading === 'ignore' ? undefined : ledger.rememberedKey(name);
    const memoryMs = readings.key_memory_ms ?? Infinity;
    if (kept !== undefined && atMs - kept.atMs < memoryMs) {
      assertRepeatable(kept, reading, context);
      return { reply: successReply(kept.reply), reason: `repeats ${kept.effectId}`, key };
    }
    const { id, signature, fields } = perform();
    const reply = successOf({ ...echoOf(context), ...fields }, readings);
    ledger.putEffect({ kind: operation, id, token, key: key ?? null, atMs, request: body.text, signature });
    if (key !== undefined) ledger.rememberKey(name, { atMs, bodyHash: body.hash, effectId: id, reply });
    return { reply: successReply(reply), effect: signature ?? id, key };
  });
}

/** Throws if the service must refuse the repeated key. */
function assertRepeatable(
  kept: RememberedKey,
  reading: 'replay' | 'conflict' | 'ignore',
  { readings, body }: RequestContext,
): void {
  const other = kept.bodyHash === body.hash ? 'as-repeat' : readings.other_body;
  const message = 'This idempotency key was used for another request.';
  if (other === 'invalid')
    throw new Rejection(400, 'idempotency_key_reused', message, { field: 'idempotency_key' });
  if (other === 'unprocessable') throw new Rejection(422, 'idempotency_key_reused', message);
  if (other === 'conflict' || reading === 'conflict')
    throw new Rejection(409, 'duplicate_idempotency_key', 'This idempotency key was already used.');
}

/** The fields to echo. A repeated key gets those of its first request. */
function echoOf({ readings, body }: RequestContext): Fields {
  const { echo_fields: echoed } = readings;
  return Object.fromEntries(Object.entries(body.fields).filter(([name]) => echoed.includes(name)));
}

function successOf(fields: Fields, readings: Readings): KeptReply {
  const kept = Object.entries(fields).filter(([name]) => !readings.omit_fields.includes(name));
  const body = JSON.stringify({ ...Object.fromEntries(kept), ...readings.extra_fields });
  return {
    status: readings.success_status,
    contentType: readings.content_type ?? 'application/json',
    body,
  };
}

function postMessage(
  { conversationId, content, components, replyTo }: MessagePayload,
  context: RequestContext,
  { ledger, derived }: Service,
): Done {
  if (!ledger.hasConversation(conversationId)) {
    const [known = ''] = ledger.conversations();
    const message = `There is no conversation ${JSON.stringify(conversationId.slice(0, 64))}; there is ${known}.`;
    throw new Rejection(404, 'conversation_not_found', message, { field: 'conversation_id' });
  }
  const id = derived.id('msg', ledger.nextSeq());
  const message = {
    id,
    conversation_id: conversationId,
    content,
    components,
    reply_to_message_id: replyTo,
    created_at: new Date(context.nowMs).toISOString(),
  };
  return { id, signature: null, fields: { message, request_id: context.requestId } };
}

/** Executes a transfer and stores the result, inside the request's transaction. */
function makeTransfer(
  payload: TransferPayload,
  chain: SandboxChain,
  { nowMs, readings }: RequestContext,
  service: Service,
): Done {
  if (payload.units > maxU64) throw new Rejection(402, 'insufficient_balance', 'No wallet holds that much.');
  const { ledger, derived } = service;
  const clock = { ledger, readings, nowMs };
  // Each transaction has its own slot. A reset does not set slots back.
  const slot = currentSlot(clock) + 1;
  const execution = chain.execute(
    {
      payer: derived.wallet,
      instructions: instructionsOf(payload, derived.wallet.address),
      blockhash: derived.blockhash(slot),
    },
    { account: (address) => ledger.account(address), decimalsOf: () => derived.usdc.decimals },
  );
  if (execution.kind !== 'executed') throw rejectionOf(execution, payload, service);
  const { accounts, signature, fee, made } = execution;
  const previous = ledger.latestTransaction();
  keepSlot(slot, clock);
  for (const account of accounts) ledger.putAccount(account);
  const blockTimeS = Math.floor(nowMs / 1000);
  const touched = accounts.map(({ address }) => address);
  ledger.putTransaction({ slot, signature, blockTimeS, fee, made }, touched);
  const id = derived.id('tr', ledger.nextSeq());
  const said = readings.reply_signature === 'previous' ? (previous?.signature ?? signature) : signature;
  return {
    id,
    signature,
    fields: { transfer_id: id, status: readings.transfer_status, signature: said },
  };
}

function instructionsOf({ to, asset, units, memo: text }: TransferPayload, wallet: string): Instruction[] {
  const note = text === undefined || text === '' ? [] : [memo(text)];
  const { mint, decimals } = asset;
  if (mint === undefined) return [...note, transferSol(wallet, to, units)];
  const from = { owner: wallet, account: tokenAccountOf(wallet, mint) };
  const holder = { owner: to, account: tokenAccountOf(to, mint) };
  return [
    createTokenAccount(wallet, holder, mint),
    ...note,
    transferToken(from, holder, { mint, units, decimals }),
  ];
}

/** Translates the VM's error into a rejection that the service documents. */
function rejectionOf(
  execution: Exclude<Execution, { kind: 'executed' }>,
  payload: TransferPayload,
  service: Service,
): Rejection {
  const invalidTransfer = (field: string, rule: string): Rejection =>
    invalid('transfer', field, `${field} ${rule}`);
  if (execution.kind === 'program')
    return invalidTransfer('to_address', 'is a program or a system variable, not a wallet.');
  if (execution.kind === 'too-large')
    return invalidTransfer('memo', 'makes the transaction larger than Solana allows.');
  const { verdict } = execution;
  if (verdict === 'InsufficientFundsForRent { account_index: 1 }' && payload.asset === sol)
    return invalidTransfer('amount', 'is less than a new account must hold to exist (0.00089088 SOL).');
  if (/^(InsufficientFundsFor|AccountNotFound|InstructionError\(\d+, Custom\(1\)\))/.test(verdict))
    return new Rejection(402, 'insufficient_balance', shortOf(payload, service));
  return new Rejection(400, 'invalid_transfer', `Solana rejects this transfer: ${verdict}.`);
}

/** Says what the wallet has and what it would need. */
function shortOf({ asset, units }: TransferPayload, { ledger, derived }: Service): string {
  const held = (of: Asset): bigint => unitsOf(ledger, derived.wallet.address, of);
  const has = (of: Asset): string => `The wallet holds ${decimal(held(of), of.decimals)} ${of.symbol}`;
  const wanted = decimal(units, asset.decimals);
  if (asset === sol) return `${has(sol)}, too little for ${wanted} SOL and the fee.`;
  if (held(asset) < units) return `${has(asset)}, too little for ${wanted}.`;
  return `${has(sol)}, too little for the fee and for the recipient’s new account.`;
}
