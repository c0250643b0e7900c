import type { Dice } from '../../dice.ts';

const oddTexts = [
  '',
  ' ',
  '0',
  '-1',
  '1e9',
  '1.',
  '.5',
  '00.1',
  '9'.repeat(40),
  'sol',
  'null',
  'é',
  '\u202Eevil',
  '\u0000',
  '\u001b[2J',
  '🙂'.repeat(30),
  '::error::x',
  '=1+1',
  '--yes',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  'x'.repeat(6000),
  '"',
  "'",
  '\n',
  '\r\n',
  ',',
];

export function oddText(dice: Dice): string {
  return dice.pick(oddTexts);
}

function oddValue(dice: Dice): unknown {
  const odd = [null, true, false, 0, -0.5, 1e308, [], {}, [[[]]], { a: { b: [] } }, oddText(dice)];
  return dice.pick(odd);
}

/** The object with one wrong or odd value somewhere in it. */
function mutateValue(value: unknown, dice: Dice): unknown {
  if (typeof value !== 'object' || value === null || dice.below(5) === 0) return oddValue(dice);
  if (Array.isArray(value)) {
    if (value.length === 0) return [oddValue(dice)];
    const at = dice.below(value.length);
    const changed = mutateValue(value[at], dice);
    return value.map((item, index) => (index === at ? changed : item));
  }
  const fields = Object.entries(value);
  if (fields.length === 0 || dice.below(6) === 0) return { ...value, [oddText(dice)]: oddValue(dice) };
  const [name, inner] = dice.pick(fields);
  if (dice.below(4) === 0) return Object.fromEntries(fields.filter(([other]) => other !== name));
  return { ...value, [name]: mutateValue(inner, dice) };
}

/** The bytes with a few of them flipped, removed, doubled or inserted. */
export function mutateBytes(bytes: Buffer, dice: Dice): Buffer {
  const at = dice.below(bytes.length + 1);
  const rest = Math.min(bytes.length, at + 1 + dice.below(8));
  switch (dice.below(6)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(rest)]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), dice.bytes(1 + dice.below(4)), bytes.subarray(at)]);
    case 3:
      return Buffer.concat([bytes.subarray(0, rest), bytes.subarray(at)]);
    case 4:
      return Buffer.concat([Buffer.from('\uFEFF'), bytes]);
    default: {
      const copy = Buffer.from(bytes);
      if (copy.length > 0) {
        const offset = dice.below(copy.length);
        copy[offset] = (copy[offset] ?? 0) ^ (1 << dice.below(8));
      }
      return copy;
    }
  }
}

/** The JSON unchanged, with a wrong value, or with wrong bytes. */
export function mutateJson(value: unknown, dice: Dice): Buffer {
  const rolled = dice.below(10);
  const meant = rolled < 6 ? mutateValue(value, dice) : value;
  const text = Buffer.from(JSON.stringify(meant) ?? '');
  return rolled >= 4 && rolled < 9 ? mutateBytes(text, dice) : text;
}
