import { type Origin, sharedFailure } from './facts.ts';
import type { UrlParts } from './url.ts';

export type Env = Readonly<Record<string, string | undefined>>;

export type Setting = { readonly value: string; readonly origin: Origin };

/** What could lead elsewhere than the URL says, or change what is answered. The driver itself would read the last three. */
const unsupported = ['PGSERVICE', 'PGHOSTADDR', 'PGOPTIONS', 'PGREPLICATION', 'PGBINARY'] as const;

/** What the URL says; what it leaves out, libpq's variables. One that is set but empty counts as unset, as in libpq. */
export class AddressSettings {
  readonly #parts: UrlParts;
  readonly #source: string;
  readonly #env: Env;

  constructor(parts: UrlParts, source: string, env: Env) {
    this.#parts = parts;
    this.#source = source;
    this.#env = env;
    const found = unsupported.find((variable) => env[variable]);
    if (found !== undefined) throw sharedFailure('unsupported-variable', { variable: found });
  }

  part(part: 'user' | 'password' | 'host' | 'port' | 'database', variable?: string): Setting | undefined {
    const value = this.#parts[part];
    if (value !== '') return { value, origin: { part, source: this.#source } };
    return this.#variable(variable);
  }

  parameter(parameter: string, variable?: string): Setting | undefined {
    const value = this.#parts.parameters.get(parameter);
    if (value !== undefined) return { value, origin: { parameter, source: this.#source } };
    return this.#variable(variable);
  }

  #variable(variable: string | undefined): Setting | undefined {
    const value = variable && this.#env[variable];
    return variable && value ? { value, origin: { variable } } : undefined;
  }
}
