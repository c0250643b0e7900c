/** How a moment is written, for help and complaints. */
export const momentRule = 'how long ago (30m, 24h, 2d), a day (2026-11-30), or a time (2026-11-30T12:00Z)';
