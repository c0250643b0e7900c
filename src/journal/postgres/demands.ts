import type { Encryption } from './encryption.ts';
import { sharedFailure } from './facts.ts';
import type { AddressSettings, Setting } from './settings.ts';

/** What the URL asks of the connection besides where it leads, as it was written: each is one that means something. */
export type Demands = Partial<Readonly<Record<Demand, string>>>;

type Demand = 'channel_binding' | 'target_session_attrs' | 'keepalives' | 'keepalives_idle' | 'options';

type Rule = { readonly variable?: string; readonly takes: RegExp };

const rules: Readonly<Record<Demand, Rule>> = {
  channel_binding: { variable: 'PGCHANNELBINDING', takes: /^(?:disable|prefer|require)$/u },
  target_session_attrs: {
    variable: 'PGTARGETSESSIONATTRS',
    takes: /^(?:any|read-write|read-only|primary|standby|prefer-standby)$/u,
  },
  keepalives: { takes: /^[01]$/u },
  keepalives_idle: { takes: /^\d{1,5}$/u },
  // Where a service of many servers leads by it. What begins with a dash would change what is answered.
  options: { takes: /^(?:[a-z_]+=[\w.-]+ ?)+$/iu },
};

const demandNames = Object.keys(rules) as Demand[];

export function demandsOf(settings: AddressSettings, { mode }: Encryption): Demands {
  const found = demandNames.flatMap((name) => {
    const setting = settings.parameter(name, rules[name].variable);
    return setting === undefined ? [] : [[name, checked(name, setting)] as const];
  });
  const demands: Demands = Object.fromEntries(found);
  if (demands.channel_binding === 'require' && mode === 'disable')
    throw sharedFailure('channel-needs-tls', {});
  return demands;
}

function checked(name: Demand, { value, origin }: Setting): string {
  if (!rules[name].takes.test(value)) throw sharedFailure('bad-setting', { origin, fault: name });
  return value;
}

/** As much of a driver's client as its connection goes through. */
type Bindable = {
  readonly saslSession?: unknown;
  readonly connection: {
    readonly stream: { destroy(): unknown };
    prependListener(event: string, listener: (message: { mechanisms?: readonly string[] }) => void): unknown;
  };
};

/**
 * Breaks off before a password or its proof goes to who is not the one that the certificate is of. What is given back
 * says so, once it was.
 */
export function requireBinding(client: Bindable, place: string): () => Error | undefined {
  const { connection } = client;
  let refused: Error | undefined;
  let isOffered = false;
  let isProven = false;
  const refuse = (): void => {
    refused = sharedFailure('no-channel-binding', { place });
    connection.stream.destroy();
  };
  connection.prependListener('authenticationSASL', ({ mechanisms = [] }) => {
    isOffered = mechanisms.includes('SCRAM-SHA-256-PLUS');
    if (!isOffered) refuse();
  });
  connection.prependListener('authenticationCleartextPassword', refuse);
  connection.prependListener('authenticationMD5Password', refuse);
  connection.prependListener('authenticationSASLFinal', () => {
    isProven = isOffered;
  });
  connection.prependListener('authenticationOk', () => {
    // The driver forgets the exchange when the server has proven that it knows the password, too.
    if (!isProven || client.saslSession !== null) refuse();
  });
  return () => refused;
}

type Attributes = Readonly<Record<'standby' | 'read_only', unknown>>;

export const askAttributes = `SELECT pg_catalog.pg_is_in_recovery() AS standby,
  pg_catalog.current_setting('transaction_read_only') = 'on' AS read_only`;

const fits: Readonly<Record<string, (attributes: Attributes) => boolean>> = {
  'read-write': ({ standby, read_only }) => standby === false && read_only === false,
  'read-only': ({ standby, read_only }) => standby === true || read_only === true,
  primary: ({ standby }) => standby === false,
  standby: ({ standby }) => standby === true,
};

/** Whether a server is to be asked at all: of a single one `any` and `prefer-standby` take what is there. */
export function asksAttributes({ target_session_attrs: target = 'any' }: Demands): boolean {
  return fits[target] !== undefined;
}

export function hasAttributes({ target_session_attrs: target = 'any' }: Demands, found: Attributes): boolean {
  return fits[target]?.(found) ?? true;
}
