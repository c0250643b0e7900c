/** Asked for the same token row after row, a batch gets the same answer. */
export function lastRemembered(hashOf: (token: string) => string): (token: string) => string {
  let last: { readonly token: string; readonly hash: string } | undefined;
  return (token) => {
    if (last?.token !== token) last = { token, hash: hashOf(token) };
    return last.hash;
  };
}
