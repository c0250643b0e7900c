import { type Bot, envBot } from '../bot/bot.ts';
import { bodyBytes, fingerprint } from '../intent/canonical.ts';
import { identityFor, isNamed, keyFor, nameOf, type Scope } from '../intent/naming.ts';
import type { Order } from '../intent/order.ts';
import { canonicalOf, paymentOf } from '../intent/wanted.ts';
import type { Journal, NamedBy, NewIntent } from '../journal/journal.ts';

/** An order with the names that it has in the journal: two commands mean the same intent if their digests are equal. */
export type Identity = {
  readonly order: Order;
  readonly scope: Scope;
  readonly canonical: string;
  readonly fingerprint: string;
  readonly digest: string;
  readonly payment: string | undefined;
  /** Whose it is where nothing names it: a bot may be given another name. */
  readonly tokenHash: string | undefined;
  /** The key, where it is determined before anything is sent. */
  readonly key: string | undefined;
};

/** The key under which another base URL would know the same name; the same where the key itself was given. */
export function keyAt(baseUrl: string, { order, scope, canonical }: Identity): string {
  return keyFor(order.naming, { baseUrl, kind: scope.kind }, canonical, () => '');
}

/** `canonical` is given by whoever has it already: a batch keeps it of each row. */
export function identify(
  order: Order,
  bot: Bot,
  journal: Pick<Journal, 'hashOf'>,
  canonical = canonicalOf(order.wanted),
): Identity {
  const isTokenAsked = bot.name === envBot || !isNamed(order.naming);
  const tokenHash = isTokenAsked ? journal.hashOf(bot.token.reveal()) : undefined;
  const speaker = { bot: bot.name, tokenHash: bot.name === envBot ? tokenHash : undefined };
  const scope: Scope = { baseUrl: bot.baseUrl, kind: order.wanted.kind };
  return {
    order,
    scope,
    digest: identityFor(order.naming, scope, speaker, canonical),
    key: isNamed(order.naming) ? keyFor(order.naming, scope, canonical, () => '') : undefined,
    canonical,
    fingerprint: fingerprint(canonical),
    payment: paymentOf(order.wanted),
    tokenHash,
  };
}

/** The intent that begins where the journal has none of this identity. */
export function newIntent(identity: Identity, bot: Bot, randomUuid: () => string): NewIntent {
  const { order, scope, canonical, digest, fingerprint, payment } = identity;
  const { naming, wanted } = order;
  const key = identity.key ?? keyFor(naming, scope, canonical, randomUuid);
  return {
    baseUrl: bot.baseUrl,
    kind: wanted.kind,
    id: randomUuid().replaceAll('-', '').slice(0, 12),
    spelledUrl: bot.spelledUrl,
    bot: bot.name,
    namedBy: naming.by === 'nothing' ? undefined : (naming.by satisfies NamedBy),
    name: nameOf(naming),
    rowId: naming.by === 'row' ? naming.id : undefined,
    key,
    identity: digest,
    fingerprint,
    payment,
    body: bodyBytes({ ...wanted.request }, key),
  };
}
