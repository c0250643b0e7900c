/** A moment of the server's, in milliseconds. */
export const inMs = (time: string): string => `(extract(epoch FROM ${time}) * 1000)::bigint`;

/** The server's clock as it is, not as it was when the transaction began. */
export const nowMs = inMs('clock_timestamp()');
