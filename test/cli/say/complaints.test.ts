// What is wrong with a field, as a person reads it: each rule, with all that a value may have that breaks it.
import { describe, expect, test } from 'vitest';
import { notValid, sentence, sentences, warningWords } from '../../../src/cli/say/intent.ts';
import { type Complaint, complain } from '../../../src/once/intent/facts.ts';
import { knownAddresses } from '../../../src/once/intent/unusual.ts';

const address = 'to_address';
const base58 = '(it must be a Solana address: 32 bytes in base58)';
const digits = '(it must be digits, or digits.digits, like 1.5)';
const half = 'has half a surrogate pair, which cannot be written as UTF-8';
const characters = '(it must be 1 to 5000 characters, counted as Unicode code points)';
const button = '(it must be label=TEXT,id=ID with an optional style=STYLE (write a comma in a text as \\,))';
const wallet =
  '(it must be an address that a wallet key controls; add --allow-off-curve if it belongs to a multisig vault or another program)';
const recipient = '(it must be an address, or @ and a name under recipients in the policy)';
const token = '(it must be SOL, or the string that names a token)';

describe('a complaint', () => {
  test.each<[Complaint, string]>([
    [complain('memo', 'given', 'missing'), 'memo is missing'],
    [complain(undefined, 'given', 'missing'), 'the request is missing'],
    [
      complain('fee', 'known', 'unknown'),
      'fee is not known (it must be a field in the service’s documentation)',
    ],
    [complain('x', 'valid', 'invalid'), 'x is not valid (it must be as the service’s documentation says)'],
    [complain('memo', 'shape', 'string'), 'memo is not a string (it must be a string, in double quotes)'],
    [complain('components', 'shape', 'array'), 'components is not a list (it must be a list)'],
    [complain(undefined, 'shape', 'object'), 'the request is not an object (it must be an object)'],
    [complain('x', 'shape', 'boolean'), 'x is not a boolean (it must be a boolean)'],
    [complain('memo', 'text', 'half-pair'), `memo ${half} (it must be text)`],
    [complain('c', 'conversation', 'empty'), 'c is empty (it must be the identifier of a conversation)'],
    [complain('label', 'label', 'empty'), 'label is empty (it must be text on the button)'],
    [complain('label', 'label', 'half-pair'), `label ${half} (it must be text on the button)`],
    [complain('style', 'style', 'empty'), 'style is empty (it must be a style, or absent)'],
    [complain('id', 'custom-id', 'empty'), 'id is empty (it must be an identifier of your choice)'],
    [complain('type', 'component-type', 'empty'), 'type is empty (it must be the type of a component)'],
    [
      complain('components', 'row-of-buttons', 'empty'),
      'components is empty (it must be one button or more)',
    ],
    [
      complain('components', 'distinct-ids', { id: 'yes' }),
      'components use the custom_id "yes" twice (it must be a list in which every custom_id is different)',
    ],
    [
      complain('--row', 'row-mark', 'no-buttons'),
      '--row begins a row without buttons (it must be followed by a --button)',
    ],
    [complain('amount', 'positive', 'zero'), 'amount is zero (it must be more than zero)'],
    [
      complain('amount', 'decimals', { most: 9, asset: 'SOL', decimals: 10 }),
      'amount has 10 decimals (it must be a number with at most 9 decimals for SOL)',
    ],
  ])('%j', (complaint, text) => {
    expect(sentence(complaint)).toBe(text);
  });

  test.each([
    ['empty', 'is empty'],
    ['half-pair', half],
    ['far-too-long', 'is far too long'],
    [{ characters: 5001 }, 'has 5001 characters'],
  ] as const)('of the content: %j', (is, problem) => {
    expect(sentence(complain('content', 'content', { most: 5000, is }))).toBe(
      `content ${problem} ${characters}`,
    );
  });

  test.each([
    ['no-label', 'has no label'],
    ['no-id', 'has no id'],
    ['empty-style', 'has an empty style'],
    [{ unknown: 'colour=red' }, 'has a part that is not label=, id= or style=: "colour=red"'],
    [{ twice: 'custom_id' }, 'gives custom_id twice'],
  ] as const)('of a button: %j', (value, problem) => {
    expect(sentence(complain('--button', 'button', value))).toBe(`--button ${problem} ${button}`);
  });

  test.each([
    ['empty', 'is empty'],
    ['blanks', 'has spaces around it, or has control or invisible characters'],
    [{ insteadOfSol: 'sol' }, 'is "sol": write SOL'],
  ] as const)('of an asset: %j', (value, problem) => {
    expect(sentence(complain('asset', 'asset', value))).toBe(`asset ${problem} ${token}`);
  });

  test.each([
    ['empty', 'is empty'],
    [{ notBase58At: 10 }, 'has a character that is not in base58, at position 10'],
    [{ characters: 1_000_000 }, 'is 1000000 characters long'],
    [{ bytes: 1 }, 'is 1 byte long'],
    [{ bytes: 33 }, 'is 33 bytes long'],
  ] as const)('of an address: %j', (value, problem) => {
    expect(sentence(complain(address, 'address', value))).toBe(`${address} ${problem} ${base58}`);
  });

  test('of what no key controls', () => {
    expect(sentence(complain(address, 'wallet', 'off-curve'))).toBe(`${address} is off the curve ${wallet}`);
    expect(sentence(complain(address, 'wallet', 'short'))).toMatch(
      /a character may be missing \(it must be a Solana/u,
    );
  });

  test.each([
    ['own-wallet', 'the bot’s own wallet'],
    [{ mintOf: 'BONK' }, 'the mint of BONK'],
    ['sysvar', 'a sysvar'],
  ] as const)('of an unusual recipient: %j', (value, called) => {
    expect(sentence(complain(address, 'unusual', value))).toBe(
      `${address} is ${called} (it must be someone else’s wallet; add --allow-unusual if you really mean this address)`,
    );
  });

  test('every address that is no wallet is called what it is', () => {
    const called = Object.values(knownAddresses).map((known) =>
      sentence(complain(address, 'unusual', known)),
    );
    expect(called.map((text) => /^to_address is (the [a-zA-Z0-9 ]+) \(/u.exec(text)?.[1])).toEqual([
      'the system program',
      'the token program',
      'the token program of 2022',
      'the associated token program',
      'the memo program',
      'the old memo program',
      'the compute budget program',
      'the mint of wrapped SOL',
      'the mint of USDC',
      'the mint of USDT',
    ]);
  });

  test.each([
    ['no-policy', 'is a name, but no policy gives it an address'],
    ['several-addresses', 'is a name for which two policies have different addresses'],
    [{ noneOf: [] }, 'is a name, but the policy names no recipients'],
    [{ noneOf: ['@ada'] }, 'is a name that the policy does not have; it has @ada'],
    [
      { noneOf: ['@a', '@b', '@c', '@d', '@e', '@f', '@g'] },
      'is a name that the policy does not have; it has @a, @b, @c, @d, @e, 2 more',
    ],
  ])('of a recipient: %j', (value, problem) => {
    expect(sentence(complain(address, 'recipient', value as 'no-policy'))).toBe(
      `${address} ${problem} ${recipient}`,
    );
  });

  test.each([
    ['empty', 'is empty'],
    ['sign', 'has a sign'],
    ['exponent', 'has an exponent'],
    ['comma', 'has a comma'],
    ['blank', 'has a space'],
    ['leading-zero', 'has a leading zero'],
    ['bare-fraction', 'has no digit before its dot'],
    ['bare-dot', 'has no digit after its dot'],
    ['other', 'is not digits with at most one dot'],
    [{ longerThan: 40 }, 'is longer than 40 characters'],
  ] as const)('of an amount: %j', (value, problem) => {
    expect(sentence(complain('amount', 'amount', value))).toBe(`amount ${problem} ${digits}`);
  });

  test('is as long as anybody reads, whatever it quotes', () => {
    const long = 'x'.repeat(100_000);
    expect(sentence(complain(long, 'asset', { insteadOfSol: long })).length).toBeLessThan(400);
  });
});

test('of many complaints the first few are said, and how many more there are', () => {
  const many = Array.from({ length: 7 }, (_, index) => complain(`f${index}`, 'given', 'missing'));
  expect(sentences(many, sentence)).toBe(
    'f0 is missing; f1 is missing; f2 is missing; f3 is missing; f4 is missing; and 2 more problems',
  );
});

describe('a request that is not valid', () => {
  const options = { content: ['--content', '--content-file'], components: ['--button'] };

  test('names the option of each field, and those that are to be given', () => {
    const complaints = [
      complain('content', 'given', 'missing'),
      complain('components[0].label', 'label', 'empty'),
    ];
    expect(notValid({ kind: 'message', complaints, options })).toEqual({
      message:
        'The message is not valid: content (--content) is missing; components[0].label (--button) is empty (it must be text on the button)',
      hint: 'Give --content (or --content-file), fix the rest, and run the command again.',
    });
  });

  test('of a file has no options', () => {
    const complaints = [complain('fee', 'known', 'unknown')];
    expect(notValid({ kind: 'transfer', complaints, options: {} })).toEqual({
      message:
        'The transfer is not valid: fee is not known (it must be a field in the service’s documentation)',
      hint: 'Fix it and run the command again.',
    });
  });
});

test('a warning says what is sent as it is', () => {
  expect(warningWords({ is: 'unknown-style', style: 'primary', known: ['success', 'danger'] })).toBe(
    'The button style "primary" is not one of success, danger. The service’s full list is not published, so the style is sent unchanged.',
  );
  expect(warningWords({ is: 'more-unknown-styles', count: 3 })).toBe('3 more button styles are unknown.');
});
