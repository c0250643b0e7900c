import { describe, expect, test } from 'vitest';
import { identityUrl, originOf, parseBaseUrl, sandboxBaseUrl } from '../../../src/once/entry/baseUrl.ts';
import { failureOf, wordsOf } from '../../support/failure.ts';

describe('a base URL is written one way only', () => {
  test.each([
    ['https://bots.example.com', 'https://bots.example.com'],
    ['https://bots.example.com/', 'https://bots.example.com'],
    ['https://bots.example.com./', 'https://bots.example.com.'],
    ['https://bots.example.com.:443/a', 'https://bots.example.com./a'],
    ['HTTPS://Bots.Example.COM', 'https://bots.example.com'],
    ['https://bots.example.com:443/', 'https://bots.example.com'],
    ['https://bots.example.com:8443/', 'https://bots.example.com:8443'],
    ['https://bots.example.com/Tenant/A/', 'https://bots.example.com/Tenant/A'],
    [
      "https://bots.example.com/a.b/~c_d-e,f@g:h=i+j*k!l$m&n'(o)",
      "https://bots.example.com/a.b/~c_d-e,f@g:h=i+j*k!l$m&n'(o)",
    ],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    [`https://a.example/${'b'.repeat(982)}`, `https://a.example/${'b'.repeat(982)}`],
    ['http://localhost:80', 'http://localhost'],
    ['http://localhost:8080/x/', 'http://localhost:8080/x'],
    ['http://LOCALHOST:1', 'http://localhost:1'],
    ['http://127.0.0.1:9/', 'http://127.0.0.1:9'],
    ['http://127.1.2.3:9', 'http://127.1.2.3:9'],
    ['http://127.1:9', 'http://127.0.0.1:9'],
    ['http://[::1]:9', 'http://[::1]:9'],
    ['http://[0:0:0:0:0:0:0:1]:9', 'http://[::1]:9'],
  ])('%s is %s', (text, url) => {
    expect(parseBaseUrl(text)).toBe(url);
    expect(parseBaseUrl(url)).toBe(url);
  });

  test('its origin is where a token may go', () => {
    expect(originOf(parseBaseUrl('https://bots.example.com:8443/x'))).toBe('https://bots.example.com:8443');
    expect(originOf(parseBaseUrl('https://BOTS.example.com./x'))).toBe('https://bots.example.com');
    expect(originOf(sandboxBaseUrl)).toBe('sandbox');
  });
});

describe('in identities', () => {
  test.each([
    ['http://localhost:8080/x', 'http://127.0.0.1:8080/x'],
    ['http://[::1]', 'http://127.0.0.1'],
    ['https://localhost', 'https://127.0.0.1'],
    ['https://localhost.:8080/x', 'https://127.0.0.1:8080/x'],
    ['http://127.0.0.1:9', 'http://127.0.0.1:9'],
    ['http://127.0.0.2:9', 'http://127.0.0.2:9'],
    ['https://localhost.example', 'https://localhost.example'],
    ['https://bots.example/localhost', 'https://bots.example/localhost'],
    ['https://bots.example./x', 'https://bots.example/x'],
    ['https://bots.example.:8443', 'https://bots.example:8443'],
    ['https://bots.example/x.', 'https://bots.example/x.'],
  ])('loopback is one host, and a trailing dot of the host goes: %s is %s', (text, url) => {
    expect(identityUrl(parseBaseUrl(text))).toBe(url);
  });

  test('the sandbox is its own', () => {
    expect(identityUrl(sandboxBaseUrl)).toBe('sandbox');
  });
});

describe('a base URL is refused without being echoed', () => {
  test.each([
    ['', 'is not a URL'],
    ['secret', 'is not a URL'],
    [`https://secret.example/${'a'.repeat(978)}`, 'is longer than 1000 characters'],
    ['bots.secret.example', 'is not a URL'],
    ['https://', 'is not a URL'],
    ['https://secret.example:99999', 'is not a URL'],
    ['http://secret.example', 'is not https'],
    ['http://127.0.0.1.secret.example', 'is not https'],
    ['http://localhost.secret.example', 'is not https'],
    ['http://10.0.0.1/secret', 'is not https'],
    ['http://0.0.0.0/secret', 'is not https'],
    ['http://[::2]/secret', 'is not https'],
    ['ftp://secret.example', 'is not https'],
    ['https://user:secret@bots.example.com', 'contains a user name or a password'],
    ['https://:secret@bots.example.com', 'contains a user name or a password'],
    ['https://bots.example.com/?token=secret', 'has a query or a fragment'],
    ['https://bots.example.com/?', 'has a query or a fragment'],
    ['https://bots.example.com/#secret', 'has a query or a fragment'],
    ['https://bots.example.com/#', 'has a query or a fragment'],
    ['https://@secret.example', 'contains a user name or a password'],
    ['https:/secret@bots.example', 'contains a user name or a password'],
    ['https://secret.example:@bots.example', 'contains a user name or a password'],
    ['https:secret.example', 'is not a URL'],
    ['https:///secret.example', 'is not a URL'],
    ['https:\\\\secret.example', 'is not a URL'],
    [' https://secret.example', 'is not a URL'],
    ['https://secret.example ', 'is not a URL'],
    ['https://sec\tret.example', 'is not a URL'],
    ['https://%73ecret.example', 'is not a URL'],
    ['https://secret.example..', 'is not a URL'],
    ['https://bots.example/%2f', 'spelled in more than one way'],
    ['https://bots.example//', 'spelled in more than one way'],
    ['https://bots.example/a//b', 'spelled in more than one way'],
    ['https://bots.example\\secret', 'spelled in more than one way'],
    ['https://bots.example/bots;secret=1', 'spelled in more than one way'],
    ['https://bots.example/a/../secret', 'spelled in more than one way'],
    ['https://bots.example/./secret', 'spelled in more than one way'],
    ['https://bots.example/secret/.', 'spelled in more than one way'],
    ['https://bots.example/secret/..', 'spelled in more than one way'],
    ['https://bots.example/sec\tret', 'spelled in more than one way'],
    ['https://bots.example/sec ret', 'spelled in more than one way'],
    ['https://bots.example/secret ', 'spelled in more than one way'],
    ['https://bots.example/ö', 'spelled in more than one way'],
  ])('%s %s', async (text, why) => {
    const failure = await failureOf(() => parseBaseUrl(text));
    expect(failure.code).toBe('base-url');
    expect(failure.message).toContain(why);
    expect(wordsOf(failure).replace(/ at .*/gsu, '')).not.toContain('secret');
  });
});
