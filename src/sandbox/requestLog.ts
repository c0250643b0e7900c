/** One request, as the sandbox tells of it. Status 0: no reply left. */
export type RequestLog = {
  at: Date;
  operation: string;
  status: number;
  key?: string;
  effect?: string;
  reason?: string;
};
