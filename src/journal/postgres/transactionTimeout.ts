/** SQL, for servers that know how to (17 and later). The commit itself may take longer. */
export function endTransactionsAfter(time: string, inThis: 'session' | 'transaction'): string {
  return `SELECT set_config('transaction_timeout', '${time}', ${inThis === 'transaction'})
    WHERE current_setting('server_version_num')::int >= 170000`;
}
