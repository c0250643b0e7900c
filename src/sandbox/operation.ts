/** The two things the service does. */
export type Operation = 'message' | 'transfer';

export const operations: readonly Operation[] = ['message', 'transfer'];
