export const hourMs = 3_600_000;

/** Hours since 1970. */
export function hourOf(ms: number): number {
  return Math.floor(ms / hourMs);
}
