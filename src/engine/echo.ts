import { addAmounts, type MinorUnits, minorUnits } from '../intent/amount.ts';
import type { Intent } from '../journal/journal.ts';

/**
 * What a reply says of the request it answers: that it is the one that was asked, or another, or nothing. Only
 * the request's own field names are compared.
 */
export type Echo = 'same' | 'other' | 'silent';

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function echoOf({ kind, body }: Pick<Intent, 'kind' | 'body'>, json: Fields): Echo {
  const names = kind === 'transfer' ? transferFields : messageFields;
  const objects = [json, kind === 'transfer' ? json.transfer : json.message].filter(isFields);
  if (!objects.some((object) => names.some((name) => name in object))) return 'silent';
  const request = JSON.parse(new TextDecoder().decode(body)) as Readonly<Record<string, string | undefined>>;
  const echoes = names.map((name) => fieldEcho(name, request, objects));
  if (echoes.includes('other')) return 'other';
  return echoes.every((echo) => echo === 'same') ? 'same' : 'silent';
}

const transferFields = ['to_address', 'asset', 'amount'] as const;
const messageFields = ['conversation_id', 'content'] as const;
type Field = (typeof transferFields)[number] | (typeof messageFields)[number];

function fieldEcho(
  name: Field,
  request: Readonly<Record<string, string | undefined>>,
  objects: readonly Fields[],
): Echo {
  const wanted = request[name] ?? '';
  const echoes = objects
    .filter((object) => name in object)
    .map((object): Echo => {
      const given = object[name];
      switch (name) {
        case 'to_address':
          return addressEcho(wanted, given, request.asset === 'SOL');
        case 'asset':
          return assetEcho(wanted, given);
        case 'amount':
          return amountEcho(wanted, given, request.asset === 'SOL');
        default:
          return typeof given !== 'string' ? 'silent' : given === wanted ? 'same' : 'other';
      }
    });
  if (echoes.includes('other')) return 'other';
  return echoes.includes('same') ? 'same' : 'silent';
}

// 32 bytes in base58: an address, or a mint.
const account = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/u;

/** Where a token goes, the reply may name the account that holds it for the recipient. */
function addressEcho(wanted: string, given: unknown, isSol: boolean): Echo {
  if (given === wanted) return 'same';
  return isSol && typeof given === 'string' && account.test(given) ? 'other' : 'silent';
}

/** A token's symbol and its mint are two names of one thing. */
function assetEcho(wanted: string, given: unknown): Echo {
  if (typeof given !== 'string' || given === '') return 'silent';
  if (given.toLowerCase() === wanted.toLowerCase()) return 'same';
  return account.test(given) === account.test(wanted) ? 'other' : 'silent';
}

// Longer than any amount, it is no amount.
const decimal = /^(?=.{1,100}$)(\d+\.?\d*|\.\d+)$/u;

function amountEcho(wanted: string, given: unknown, isSol: boolean): Echo {
  const decimals = isSol ? [9] : tokenDecimals;
  if (typeof given === 'number') {
    // A number has lost its digits on the way; as many as it kept are compared.
    if (given === Number(wanted)) return 'same';
    return decimals.some((count) => given === Number(`${wanted}e${count}`)) ? 'silent' : 'other';
  }
  if (typeof given !== 'string' || !decimal.test(given)) return 'silent';
  const [asked, echoed] = [minorUnits(wanted), minorUnits(given)];
  if (isEqual(asked, echoed)) return 'same';
  return decimals.some((count) => isEqual({ ...asked, units: asked.units * 10n ** BigInt(count) }, echoed))
    ? 'silent'
    : 'other';
}

// In base units, by the decimals that tokens have.
const tokenDecimals = Array.from({ length: 14 }, (_, index) => index + 5);

function isEqual(left: MinorUnits, right: MinorUnits): boolean {
  const difference = addAmounts(left, { ...right, units: -right.units });
  return difference.units === 0n;
}
