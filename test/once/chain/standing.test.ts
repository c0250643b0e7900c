import { describe, expect, test } from 'vitest';
import {
  type ChainView,
  isFinal,
  ownSignatures,
  signatureIn,
  standingOf,
} from '../../../src/once/chain/standing.ts';
import type { Attempt, Decision, Intent, Observation } from '../../../src/once/journal/journal.ts';
import { signature } from './transactions.ts';

const view = (change: Partial<ChainView>): ChainView => ({
  ...{ verdict: 'undecided', cluster: 'test', rpc: 'node', reasons: [] },
  ...change,
});
const proven = view({ verdict: 'proven', commitment: 'finalized', instruction: '0' });
const likely = { ...proven, verdict: 'likely' } as const;
const against = view({ verdict: 'contradicted', commitment: 'finalized' });

describe('after a look', () => {
  test.each<[string, ChainView, boolean]>([
    ['that proved it', proven, true],
    ['at a payment from an unnamed wallet', likely, true],
    ['at one that is not final', { ...likely, commitment: 'confirmed' }, false],
    ['at something likely without an instruction', { ...likely, instruction: undefined } as never, false],
    ['at another payment', against, true],
    ['that decided nothing', view({}), false],
  ])('%s another can change nothing: %#', (_what, one, expected) => {
    expect(isFinal(one)).toBe(expected);
  });
});

describe('of all looks', () => {
  const look = (verdict: Observation['verdict'], slot = 1): Observation =>
    ({ verdict, facts: JSON.stringify({ slot }) }) as Observation;
  test.each<[string, Observation[], string]>([
    ['none counts', [], 'undefined'],
    ['the latest counts', [look('contradicted', 1), look('undecided', 2)], 'undecided 2'],
    ['one that proved it counts', [look('proven', 1), look('proven', 2), look('undecided', 3)], 'proven 2'],
    ['one that is damaged says nothing', [{ ...look('proven'), facts: '{' }], 'undefined'],
  ])('%s', (_what, observations, expected) => {
    const one = standingOf(observations);
    expect(one === undefined ? 'undefined' : `${one.verdict} ${one.slot}`).toBe(expected);
  });
});

describe('the signature in a reply', () => {
  const body = (json: object): Uint8Array => Buffer.from(JSON.stringify(json));
  const replied = (status: number | undefined, reply: Uint8Array | undefined): Attempt =>
    ({ status, reply, headers: {} }) as Attempt;
  test.each([
    [199, body({ signature }), undefined],
    [200, body({ signature }), signature],
    [299, body({ signature }), signature],
    [300, body({ signature }), undefined],
    [undefined, body({ signature }), undefined],
    [200, undefined, undefined],
    [200, Buffer.from('x'), undefined],
    [200, body({ signature: 5 }), undefined],
  ])('of status %s', (status, reply, expected) => {
    expect(signatureIn(replied(status, reply))).toBe(expected);
  });

  const other = `${signature.slice(0, -1)}${signature.endsWith('a') ? 'b' : 'a'}`;
  const named = (verdict: string, text = signature): Attempt =>
    ({ ...replied(200, body({ signature: text })), verdict }) as Attempt;
  const decided = [{ signature: other }, { signature: undefined }] as Decision[];
  test.each<[string, Partial<Intent>, Attempt[], string[]]>([
    ['accepted', { state: 'accepted' }, [named('unknown', other), named('accepted')], [signature]],
    ['accepted by a person', { state: 'accepted' }, [named('unknown')], [signature]],
    ['unknown', { state: 'unknown' }, [named('unknown'), named('accepted', other)], [signature, other]],
    ['the same twice', { state: 'unknown' }, [named('unknown'), named('unknown')], [signature]],
    ['resolved', { state: 'resolved', resolvedAs: 'happened' }, [named('held')], [signature, other]],
    ['resolved otherwise', { state: 'resolved', resolvedAs: 'did-not-happen' }, [named('held')], [signature]],
    ['no signature', { state: 'unknown' }, [named('unknown', 'sig_1')], []],
  ])('is looked up of an intent that is %s', (_what, intent, attempts, expected) => {
    expect(ownSignatures(intent as Intent, attempts, decided)).toEqual(expected);
  });
});
