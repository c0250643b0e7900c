import { Socket } from 'node:net';
import type { Address } from './address.ts';

/** A connection that is begun while the driver is still being read: told to connect, it says what has become of it. */
export class Dialled extends Socket {
  #trouble: Error | undefined;

  constructor({ server, port }: Pick<Address, 'server' | 'port'>) {
    super();
    this.on('error', (error) => {
      this.#trouble = error;
    });
    if (server.is === 'host') super.connect(port, server.host);
    else super.connect(`${server.folder}/.s.PGSQL.${port}`);
  }

  /** By the driver, which listens only after this. */
  override connect(): this {
    if (!this.connecting)
      process.nextTick(() => {
        if (this.#trouble === undefined) this.emit('connect');
        else this.emit('error', this.#trouble);
      });
    return this;
  }
}
