/** A call's failure, with JSON-RPC's number for it. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const invalidParams = (what: string): RpcError => new RpcError(-32602, `Invalid params: ${what}`);
