export function withLastId(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): readonly string[];
