export type Side = 'client' | 'server';

const sslRequest = 80877103;
const gssRequest = 80877104;
const cancelRequest = 80877102;

/** Cuts both directions of a PostgreSQL connection into whole messages. Encrypted bytes pass unchanged. */
export class Messages {
  private rest: Record<Side, Buffer> = { client: Buffer.alloc(0), server: Buffer.alloc(0) };
  private started = false;
  private opaque = false;
  /** The server answers a request for encryption with one byte. */
  private bytesDue = 0;

  take(from: Side, chunk: Buffer): Buffer[] {
    this.rest[from] = Buffer.concat([this.rest[from], chunk]);
    const whole: Buffer[] = [];
    for (;;) {
      const size = from === 'client' ? this.clientSize() : this.serverSize();
      if (size === 0 || this.rest[from].length < size) return whole;
      const message = this.rest[from].subarray(0, size);
      this.rest[from] = this.rest[from].subarray(size);
      this.note(from, message);
      whole.push(message);
    }
  }

  private clientSize(): number {
    return this.started ? this.sizeAt(this.rest.client, 1) : this.sizeAt(this.rest.client, 0);
  }

  private serverSize(): number {
    return this.bytesDue > 0 ? 1 : this.sizeAt(this.rest.server, 1);
  }

  /** A message's length comes after its type. It counts itself but not the type. */
  private sizeAt(bytes: Buffer, at: number): number {
    if (this.opaque) return bytes.length;
    return bytes.length < at + 4 ? 0 : at + bytes.readInt32BE(at);
  }

  private note(from: Side, message: Buffer): void {
    if (from === 'server' && this.bytesDue > 0) {
      this.bytesDue -= 1;
      this.opaque = message[0] !== 'N'.charCodeAt(0);
    } else if (from === 'client' && !this.started && !this.opaque) {
      const code = message.readInt32BE(4);
      if (code === sslRequest || code === gssRequest) this.bytesDue += 1;
      else if (code !== cancelRequest) this.started = true;
    }
  }
}
