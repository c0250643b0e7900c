import type { IncomingMessage } from 'node:http';
import { type AccountSource, type Chain, type Execution, NoChainError } from './chain.ts';
import type { Fault, Operation } from './faults.ts';
import { type Balance, balancesOf, fillFeePurse, makeAccount, maxU64, unitsIn } from './money.ts';
import { currentSlot, keepSlot, type Readings } from './readings.ts';
import {
  deliver,
  type Outlet,
  passes,
  type Rejection,
  type Reply,
  rejection,
  rejectionReply,
  send,
  successReply,
} from './reply.ts';
import {
  admit,
  type Checked,
  check,
  decodeJson,
  type Fate,
  type Fields,
  keyIn,
  type LoggedReply,
  type MessagePayload,
  type ReadBody,
  type RequestContext,
  type RequestHead,
  readBody,
  readMessage,
  readRequest,
  readTransfer,
  render,
  replyContext,
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
import { lookupTable } from './store/database.ts';
import type { KeptReply, KeyName, Ledger, RememberedKey } from './store/ledger.ts';

/** Serves one request to an operation: reads it, applies a fault, does it, and answers. */
export async function serveOperation(
  operation: Operation,
  request: IncomingMessage,
  outlet: Outlet,
  service: Service,
  fate: Fate,
): Promise<LoggedReply> {
  const early = fate.beforeReading(operation);
  if (early !== undefined && !(await passes(early, outlet)))
    return endEarly(early, undefined, outlet, service);
  const body = await readBody(request);
  if (body.kind !== 'whole') return rejectBody(body, outlet, service);
  const wanted: OperationRequest = {
    operation,
    authorization: authorizationOf(request),
    contentType: request.headers['content-type'],
    body: body.bytes,
  };
  const key = keyIn(decodeJson(body.bytes)?.value);
  const fault = fate.afterReading(operation, key);
  if (fault?.when === 'before' && !(await passes(fault, outlet)))
    return endEarly(fault, key, outlet, service);
  const answer = operate(wanted, service);
  if (fault?.when === 'after') return logged(answer, await deliver(fault, answer.reply, outlet), fault);
  return logged(answer, send(answer.reply, outlet), fault ?? early);
}

async function endEarly(
  fault: Fault,
  key: string | undefined,
  outlet: Outlet,
  service: Service,
): Promise<LoggedReply> {
  const status = await deliver(fault, standIn(fault, service), outlet);
  const named = key === undefined ? {} : { key };
  return { status, reason: `fault: ${fault.kind}, ${fault.when}`, ...named };
}

/** The service's own reply for this status. */
function standIn(fault: Fault, service: Service): Reply {
  const status = fault.kind === 'reply' ? fault.reply.status : 503;
  const late = status === 429 ? { retryAfterMs: 1000 } : {};
  const codes: Readonly<Record<number, string>> = { 409: 'conflict', 429: 'rate_limited' };
  const code = codes[status] ?? (status >= 500 ? 'internal' : 'scripted');
  return render({ ...rejection(status, code, 'A scripted fault.'), ...late }, service);
}

function rejectBody(
  body: Exclude<ReadBody, { kind: 'whole' }>,
  outlet: Outlet,
  service: Service,
): LoggedReply {
  if (body.kind === 'broken-off') return { status: 0, reason: 'the client left' };
  const tooLarge = rejection(413, 'payload_too_large', 'A request may have 1 MiB at most.');
  const reply = render({ ...tooLarge, headers: [['Connection', 'close']] }, service);
  return { status: send(reply, outlet), reason: tooLarge.code };
}

function logged({ key, effect, reason }: Answer, status: number, fault: Fault | undefined): LoggedReply {
  const met =
    fault === undefined || fault.kind === 'pass' ? undefined : `fault: ${fault.kind}, ${fault.when}`;
  const left = status === 0 && met === undefined ? 'the client left' : undefined;
  const why = met !== undefined && reason !== undefined ? `${met}; ${reason}` : (met ?? left ?? reason);
  return {
    status,
    ...(key === undefined ? {} : { key }),
    ...(effect === undefined ? {} : { effect }),
    ...(why === undefined ? {} : { reason: why }),
  };
}

/** node:http keeps only the first Authorization header, but a request with two must be refused. */
function authorizationOf(request: IncomingMessage): string[] {
  const { rawHeaders } = request;
  return rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'authorization',
  );
}

type OperationRequest = RequestHead & { body: Buffer };

/** Handles one Bot API request, from its bytes to its reply. */
function operate(request: OperationRequest, service: Service): Answer {
  const { operation } = request;
  const base = replyContext(service);
  const reject = (rejected: Rejection, key?: string): Answer => ({
    reply: rejectionReply(rejected, base),
    reason: rejected.code,
    ...(key === undefined ? {} : { key }),
  });
  const admitted = admit(request, base, service);
  if (admitted.kind === 'rejection') return reject(admitted);
  const body = readRequest(request.body);
  if (!body.ok) return reject(invalid(operation, body.field, body.rule));
  const { fields, text, hash } = body.value;
  const context = { ...base, token: admitted.token, bodyText: text, bodyHash: hash };
  const deed = readDeed(operation, fields, context, service);
  if (!deed.ok) return reject(invalid(operation, deed.field, deed.rule), keyIn(fields));
  return doOnce(deed.value, context, service);
}

function readDeed(
  operation: Operation,
  fields: Fields,
  context: RequestContext,
  service: Service,
): Checked<Deed> {
  if (operation === 'message') {
    return check(() => {
      const payload = readMessage(fields);
      return { operation, key: payload.key, perform: () => postMessage(payload, context, service) };
    });
  }
  return check(() => {
    const payload = readTransfer(fields, (name) => service.ledger.accounts.asset(name));
    // Loaded before the transaction begins, so that other requests need not wait for it.
    const chain = chainOf(service);
    const perform = (): Done | Rejection =>
      'kind' in chain ? chain : makeTransfer(payload, chain, context, service);
    return { operation, key: payload.key, perform };
  });
}

/** A 4xx says that nothing was done; a 503 would leave that open. */
function chainOf(service: Service): Chain | Rejection {
  try {
    return service.loadChain();
  } catch (error) {
    if (!(error instanceof NoChainError)) throw error;
    return rejection(422, 'chain_unavailable', error.message);
  }
}

function invalid(operation: Operation, field: string, rule: string): Rejection {
  const code = operation === 'message' ? 'invalid_payload' : 'invalid_transfer';
  return { ...rejection(400, code, `${field} ${rule}.`), field };
}

/** The reply and, for the log, the key and the effect, or why there is none. */
type Answer = { reply: Reply; key?: string; effect?: string; reason?: string };

/** The result of an operation: its effect's ID, and the fields of its reply. */
type Done = { kind: 'done'; id: string; signature: string | null; fields: Fields };

type Deed = { operation: Operation; key: string | undefined; perform: () => Done | Rejection };

/** Stores the key, the effect and the reply in one transaction that excludes all other processes. */
function doOnce(deed: Deed, context: RequestContext, { ledger }: Service): Answer {
  return ledger.atomically(() => {
    const { operation, key } = deed;
    const named = key === undefined ? {} : { key };
    const name = key === undefined ? undefined : keyName(operation, key, context);
    const reading = repeatReading(operation, context.readings);
    const kept = name && reading !== 'ignore' ? remembered(ledger.keys.get(name), context) : undefined;
    if (kept !== undefined) return { ...repeat(kept, reading, context), ...named };
    const done = deed.perform();
    if (done.kind === 'rejection')
      return { reply: rejectionReply(done, context), reason: done.code, ...named };
    const { id, signature, fields } = done;
    const reply = successOf({ ...echoOf(context), ...fields }, context.readings);
    const { token, nowMs: atMs, bodyText: request, bodyHash } = context;
    ledger.effects.put({ kind: operation, id, token, key: key ?? null, atMs, request, signature });
    if (name !== undefined) ledger.keys.put(name, { atMs, bodyHash, effectId: id, reply });
    return { reply: successReply(reply), effect: signature ?? id, ...named };
  });
}

function keyName(operation: Operation, key: string, { readings, token }: RequestContext): KeyName {
  return { operation, scope: readings.key_scope === 'bot' ? '' : token, key };
}

type RepeatReading = Readings['repeated_message_key'];

function repeatReading(operation: Operation, readings: Readings): RepeatReading {
  return operation === 'message' ? readings.repeated_message_key : readings.repeated_transfer_key;
}

function remembered(
  kept: RememberedKey | undefined,
  { readings, nowMs }: RequestContext,
): RememberedKey | undefined {
  if (kept === undefined) return undefined;
  const memoryMs = readings.key_memory_ms;
  return memoryMs === null || nowMs - kept.atMs < memoryMs ? kept : undefined;
}

function repeat(kept: RememberedKey, reading: RepeatReading, context: RequestContext): Answer {
  const other = kept.bodyHash === context.bodyHash ? undefined : otherBody(context.readings);
  const rejected = other ?? (reading === 'conflict' ? duplicateKey : undefined);
  if (rejected !== undefined) return { reply: rejectionReply(rejected, context), reason: rejected.code };
  return { reply: successReply(kept.reply), reason: `repeats ${kept.effectId}` };
}

const duplicateKey = rejection(409, 'duplicate_idempotency_key', 'This idempotency key was already used.');

function otherBody({ other_body }: Readings): Rejection | undefined {
  const message = 'This idempotency key was used for another request.';
  switch (other_body) {
    case 'as-repeat':
      return undefined;
    case 'invalid':
      return { ...rejection(400, 'idempotency_key_reused', message), field: 'idempotency_key' };
    case 'conflict':
      return duplicateKey;
    case 'unprocessable':
      return rejection(422, 'idempotency_key_reused', message);
  }
}

/** The fields to echo. A repeated key gets those of its first request. */
function echoOf({ readings, bodyText }: RequestContext): Fields {
  if (readings.echo_fields.length === 0) return {};
  const requested = Object.entries(JSON.parse(bodyText) as Fields);
  return Object.fromEntries(requested.filter(([name]) => readings.echo_fields.includes(name)));
}

function successOf(fields: Fields, readings: Readings): KeptReply {
  const shown = Object.entries(fields).filter(([name]) => !readings.omit_fields.includes(name));
  const body = JSON.stringify({ ...Object.fromEntries(shown), ...readings.extra_fields });
  return {
    status: readings.success_status,
    contentType: readings.content_type ?? 'application/json',
    body,
  };
}

function postMessage(
  payload: MessagePayload,
  context: RequestContext,
  { ledger, derived }: Service,
): Done | Rejection {
  const { conversationId, content, components, replyTo } = payload;
  if (!ledger.conversations.has(conversationId)) {
    const [known = ''] = ledger.conversations.list();
    const message = `There is no conversation ${JSON.stringify(conversationId.slice(0, 64))}; there is ${known}.`;
    return { ...rejection(404, 'conversation_not_found', message), field: 'conversation_id' };
  }
  const id = derived.id('msg', ledger.effects.nextSeq());
  const message = {
    id,
    conversation_id: conversationId,
    content,
    ...(components === undefined ? {} : { components }),
    ...(replyTo === undefined ? {} : { reply_to_message_id: replyTo }),
    created_at: new Date(context.nowMs).toISOString(),
  };
  return { kind: 'done', id, signature: null, fields: { message, request_id: context.requestId } };
}

/** Executes a transfer and stores the result, inside the request's transaction. */
function makeTransfer(
  payload: TransferPayload,
  chain: Chain,
  { nowMs, readings }: RequestContext,
  { ledger, derived }: Service,
): Done | Rejection {
  if (payload.units > maxU64) return rejection(402, 'insufficient_balance', 'No wallet holds that much.');
  const { wallet, feePayer } = derived;
  const clock = { ledger, readings, nowMs };
  // One transaction per slot. A reset does not set slots back.
  const slot = currentSlot(clock) + 1;
  const table = derived.lookupTable(slot);
  const isPaidFor = readings.fee_payer === 'service';
  if (isPaidFor) fillFeePurse(ledger, derived);
  const execution = chain.execute(
    {
      signers: isPaidFor ? [feePayer, wallet] : [wallet],
      instructions: [payload, ...alsoPaid(readings, ledger)].flatMap((each) =>
        instructionsOf(each, wallet.address),
      ),
      blockhash: derived.blockhash(slot),
      form: readings.transaction_version,
      table,
    },
    sourceOf(ledger),
  );
  if (execution.kind !== 'executed')
    return rejectionOf(execution, payload, balancesOf(ledger, wallet.address));
  const { accounts, signatures, wire, meta } = execution;
  const [signature = ''] = signatures;
  const previous = ledger.transactions.latestSignature();
  keepSlot(slot, clock);
  for (const account of accounts) ledger.accounts.put(account);
  const { writable, readonly } = meta.loaded;
  const looked = [...writable, ...readonly];
  if (looked.length > 0) makeAccount(ledger, lookupTable(table, looked, slot));
  const blockTimeS = Math.floor(nowMs / 1000);
  const touched = accounts.map(({ address }) => address);
  ledger.transactions.put({ signature, slot, blockTimeS, wire, meta }, touched);
  const id = derived.id('tr', ledger.effects.nextSeq());
  const said = { own: signature, previous: previous ?? signature, cosigner: signatures.at(-1) ?? signature };
  const fields = {
    transfer_id: id,
    status: readings.transfer_status,
    signature: said[readings.reply_signature],
  };
  return { kind: 'done', id, signature, fields };
}

function alsoPaid({ also_pays }: RequestContext['readings'], ledger: Ledger): TransferPayload[] {
  return also_pays === null ? [] : [readTransfer(also_pays, (name) => ledger.accounts.asset(name))];
}

/** The memo comes first and the transfer last, as @solana/pay's validateTransfer requires. */
function instructionsOf({ to, asset, units, memo: text }: TransferPayload, wallet: string): Instruction[] {
  const note = text === undefined || text === '' ? [] : [memo(text)];
  if (!('mint' in asset)) return [...note, transferSol(wallet, to, units)];
  const { mint, decimals } = asset;
  const from = { owner: wallet, account: tokenAccountOf(wallet, mint) };
  const holder = { owner: to, account: tokenAccountOf(to, mint) };
  return [
    createTokenAccount(wallet, holder, mint),
    ...note,
    transferToken(from, holder, { mint, units, decimals }),
  ];
}

function sourceOf(ledger: Ledger): AccountSource {
  return {
    get: (address) => ledger.accounts.get(address),
    decimalsOf: (mint) => ledger.accounts.asset(mint)?.decimals ?? 0,
  };
}

/** Translates the VM's error to a rejection in the service's document. */
function rejectionOf(
  execution: Exclude<Execution, { kind: 'executed' }>,
  payload: TransferPayload,
  balances: Balance[],
): Rejection {
  const invalid = (field: string, rule: string): Rejection => ({
    ...rejection(400, 'invalid_transfer', `${field} ${rule}`),
    field,
  });
  if (execution.kind === 'program')
    return invalid('to_address', 'is a program or a system variable, not a wallet.');
  if (execution.kind === 'too-large')
    return invalid('memo', 'makes the transaction larger than Solana allows.');
  const { verdict } = execution;
  if (verdict === 'InsufficientFundsForRent { account_index: 1 }' && payload.asset.symbol === 'SOL') {
    return invalid('amount', 'is less than a new account must hold to exist (0.00089088 SOL).');
  }
  if (/^(InsufficientFundsFor|AccountNotFound|InstructionError\(\d+, Custom\(1\)\))/.test(verdict)) {
    return rejection(402, 'insufficient_balance', shortOf(payload, balances));
  }
  return rejection(400, 'invalid_transfer', `Solana rejects this transfer: ${verdict}.`);
}

/** What the wallet has, and what it would need. */
function shortOf({ asset, units }: TransferPayload, balances: Balance[]): string {
  const held = (symbol: string): string => balances.find((each) => each.asset === symbol)?.amount ?? '0';
  const wanted = decimal(units, asset.decimals);
  const has = `The wallet holds ${held(asset.symbol)} ${asset.symbol}`;
  if (asset.symbol === 'SOL') return `${has}, too little for ${wanted} SOL and the fee.`;
  if ((unitsIn(held(asset.symbol), asset.decimals) ?? 0n) < units) return `${has}, too little for ${wanted}.`;
  return `The wallet holds ${held('SOL')} SOL, too little for the fee and for the recipient’s new account.`;
}
