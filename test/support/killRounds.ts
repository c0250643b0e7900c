// Kills the sandbox with kill -9 while it works, then checks that everything is still there, once.
import { createHash } from 'node:crypto';
import { controlOf, otherRecipient, paths, recipient, type SandboxState } from './sandbox.ts';
import { type Greeting, startSandboxProcess } from './sandboxProcess.ts';

type OperationName = keyof typeof paths;
type KeyedRequest = { operation: OperationName; body: Record<string, string>; key: string };
type Answer = { request: KeyedRequest; status: number; text: string } | { request: KeyedRequest; lost: true };

type RoundReport = { answered: number; problems: string[] };

/** Each round has the same orders and the same time of death whenever it is played. */
type KillOptions = { dataDir: string; round: number; processes: number };

const clients = 8;

export async function killRound(plan: KillOptions): Promise<RoundReport> {
  const args = ['--data', plan.dataDir];
  const victims = await Promise.all(Array.from({ length: plan.processes }, () => startSandboxProcess(args)));
  let dead = false;
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const load = Array.from({ length: clients }, async (_, client) => {
    const answers: Answer[] = [];
    const victim = victims[client % victims.length];
    for (let n = 0; victim !== undefined && !dead; n += 1) {
      answers.push(await ask(victim.greeting, orderOf(plan, client, n)));
      begin();
    }
    return answers;
  });
  // Even on a busy machine, something has been answered by then.
  await begun;
  await new Promise((resolve) => setTimeout(resolve, 40 + dice(plan, 'death') * 400));
  dead = true;
  await Promise.all(victims.map((victim) => victim.end('SIGKILL')));
  const answers = (await Promise.all(load)).flat();
  const survivor = await startSandboxProcess(args);
  try {
    return await examine(survivor.greeting, answers);
  } finally {
    await survivor.end('SIGTERM');
  }
}

function dice({ round }: KillOptions, label: string): number {
  return createHash('sha256').update(`${round}/${label}`).digest().readUInt32BE(0) / 2 ** 32;
}

function orderOf(plan: KillOptions, client: number, n: number): KeyedRequest {
  const key = `${plan.round}-${client}-${n}`;
  const roll = dice(plan, `${client}/${n}`);
  if (roll < 0.3)
    return {
      operation: 'message',
      key,
      body: { conversation_id: 'conv_demo', content: key, idempotency_key: key },
    };
  const asset = roll < 0.6 ? 'USDC' : 'SOL';
  const to_address = roll < 0.8 ? recipient : otherRecipient;
  return {
    operation: 'transfer',
    key,
    body: { to_address, asset, amount: '0.001', memo: key, idempotency_key: key },
  };
}

async function ask({ base_url, tokens }: Greeting, request: KeyedRequest): Promise<Answer> {
  try {
    const response = await fetch(base_url + paths[request.operation], {
      method: 'POST',
      headers: { Authorization: `Bot ${tokens.full}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(request.body),
    });
    return { request, status: response.status, text: await response.text() };
  } catch {
    return { request, lost: true };
  }
}

async function examine(greeting: Greeting, answers: Answer[]): Promise<RoundReport> {
  const { ledger, state, readings } = controlOf(greeting.base_url);
  const problems: string[] = [];
  const complain = (wrong: boolean, text: string): void => {
    if (wrong) problems.push(text);
  };
  for (const line of imbalances(await state())) complain(true, line);
  const keys = (await ledger()).map((effect) => effect.key);
  const kept = new Set(keys);
  complain(kept.size !== keys.length, 'a key has two effects');
  await readings({ repeated_message_key: 'replay' });
  for (const answer of answers) {
    const { request } = answer;
    if (!('lost' in answer))
      complain(!kept.has(request.key), `${request.key} was answered ${answer.status} and is gone`);
    const again = await ask(greeting, request);
    complain(
      !('status' in again) || again.status !== 200,
      `${request.key} is not answered after the restart`,
    );
    if (!('lost' in answer) && 'text' in again)
      complain(again.text !== answer.text, `${request.key} is answered otherwise`);
  }
  const after = await ledger();
  complain(
    after.length !== new Set([...kept, ...answers.map(({ request }) => request.key)]).size,
    'a retry had an effect twice',
  );
  for (const line of imbalances(await state())) complain(true, `after the retries: ${line}`);
  return {
    answered: answers.filter((answer) => !('lost' in answer)).length,
    problems,
  };
}

/** Lamports and tokens must add up, and there must be as many transfers as transactions. */
export function imbalances({ lamports, supplies, counts }: SandboxState): string[] {
  const found: string[] = [];
  if (BigInt(lamports.made) !== BigInt(lamports.in_accounts) + BigInt(lamports.fees)) {
    found.push(`lamports are not conserved: ${JSON.stringify(lamports)}`);
  }
  for (const [symbol, { supply, held }] of Object.entries(supplies)) {
    if (supply !== held) found.push(`${symbol} is not conserved: ${supply} made, ${held} held`);
  }
  if (counts.transfers !== counts.transactions)
    found.push(`transfers and transactions differ: ${JSON.stringify(counts)}`);
  return found;
}
