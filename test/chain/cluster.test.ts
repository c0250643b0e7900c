import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { clusterOf, explorerLink, isHash, RpcUrl } from '../../src/chain/cluster.ts';
import { key } from './transactions.ts';

const mainnet = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const devnet = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
const testnet = '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY';

test.each([
  ['mainnet', mainnet, 'mainnet'],
  ['devnet', devnet, 'devnet'],
  ['testnet', testnet, 'testnet'],
  [mainnet, mainnet, 'mainnet'],
  [key(42), key(42), key(42)],
])('the cluster %s is the chain that begins with %s', (text, genesis, name) => {
  expect(clusterOf(text)).toEqual({ genesis, name });
});

test.each(['', 'Mainnet', 'constructor', `${mainnet}1`, key(1).slice(1), `0${mainnet.slice(1)}`])(
  '%j is no cluster',
  (text) => {
    expect(clusterOf(text)).toBeUndefined();
    expect(isHash(text)).toBe(false);
  },
);

test('only a transaction of a known cluster has a page to look at', () => {
  const link = (name: string) => explorerLink({ genesis: key(42), name }, 'sig');
  expect(link('mainnet')).toBe('https://explorer.solana.com/tx/sig');
  expect(link('devnet')).toBe('https://explorer.solana.com/tx/sig?cluster=devnet');
  expect([link(key(42)), link('constructor')]).toEqual([undefined, undefined]);
});

describe('the URL of a node', () => {
  const from = (text: string): RpcUrl => RpcUrl.from(text, '--rpc-url');

  test.each([
    ['nodes.example.com', 'not-a-url'],
    ['https://me@nodes.example.com', 'user-info'],
    ['https://:secret@nodes.example.com', 'user-info'],
    ['http://nodes.example.com', 'not-https'],
    ['ws://localhost', 'not-https'],
    ['https://nodes.example.com/#key', 'fragment'],
  ])('%s is refused: %s', (text, fault) => {
    const fields = { origin: '--rpc-url', fault };
    expect(() => from(text)).toThrow(expect.objectContaining({ kind: 'bad-rpc-url', fields }));
  });

  test.each([
    ['https://nodes.example.com', true],
    ['https://nodes.example.com./', true],
    ['https://nodes.example.com/key', false],
    ['https://nodes.example.com/?key', false],
    ['http://localhost:8899/key', true],
    ['http://[::1]:8899', true],
    ['http://127.0.0.1:8899/?key', false],
  ])('%s cannot carry a key: %s', (text, isPlain) => {
    expect(from(text).isPlain).toBe(isPlain);
  });

  test('shows its host only', () => {
    const url = from('https://nodes.example.com:8443/secret?key=secret');
    expect([`${url}`, JSON.stringify({ url }), inspect({ url }), url.host, url.origin]).toEqual([
      ...['[nodes.example.com:8443]', '{"url":"[nodes.example.com:8443]"}'],
      ...['{ url: [nodes.example.com:8443] }', 'nodes.example.com:8443', 'https://nodes.example.com:8443'],
    ]);
    expect(url.reveal()).toBe('https://nodes.example.com:8443/secret?key=secret');
  });
});
