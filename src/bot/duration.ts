const unitMs = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;

type Unit = keyof typeof unitMs;

function isUnit(text: string | undefined): text is Unit {
  return text !== undefined && Object.hasOwn(unitMs, text);
}

/** Milliseconds, or undefined where the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  const [, digits, unit] = /^(0|[1-9]\d{0,8})(ms|s|m|h)$/u.exec(text) ?? [];
  if (digits === undefined || !isUnit(unit)) return undefined;
  return Number(digits) * unitMs[unit];
}
