/** The same URL with this role and its password. */
export function asRole(url: string, role: string, password: string): string {
  return Object.assign(new URL(url), { username: role, password }).href;
}
