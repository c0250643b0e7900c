import { invalidParams } from './rpcError.ts';

/** The result with one value changed, where `path` leads: names and numbers between points; '' is all of it. */
export function twisted(result: unknown, { path, value }: { path: string; value: unknown }): unknown {
  return path === '' ? value : withChanged(result, path.split('.'), value);
}

function withChanged(inner: unknown, [name = '', ...rest]: string[], value: unknown): unknown {
  if (typeof inner !== 'object' || inner === null)
    throw invalidParams(`nothing is called ${name} in a result to be twisted`);
  const copy = (Array.isArray(inner) ? [...inner] : { ...inner }) as Record<string, unknown>;
  copy[name] = rest.length === 0 ? value : withChanged(copy[name], rest, value);
  return copy;
}
