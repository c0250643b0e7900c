import { countedAsset } from './amount.ts';

/** For each name of an asset, all its names: those of a token, and its mint. An asset with one name is absent. */
export type AssetNames = ReadonlyMap<string, readonly string[]>;

/**
 * Collects what profiles call the mints of tokens. If two profiles share a name or a mint, it is one asset, even two
 * mints with the same name: so more payments are compared and counted, never fewer.
 */
export function assetNamesIn(assets: readonly Readonly<Record<string, string>>[]): AssetNames {
  const all = new Map<string, readonly string[]>();
  for (const named of assets.flatMap((one) => Object.entries(one))) {
    const same = [...new Set(named.flatMap((one) => assetNamesOf(one, all)))];
    for (const one of same) all.set(one, same);
  }
  return all;
}

/** All names of an asset, in lower case. */
export function assetNamesOf(asset: string, all: AssetNames | undefined): readonly string[] {
  const counted = countedAsset(asset);
  return all?.get(counted) ?? [counted];
}

/** A payment under every name of its asset. A message pays nothing. */
export function underEachName(payment: string | undefined, all: AssetNames | undefined): readonly string[] {
  if (payment === undefined) return [];
  if (all === undefined || all.size === 0) return [payment];
  const [to, asset, amount] = JSON.parse(payment) as [string, string, string];
  return assetNamesOf(asset, all).map((one) => JSON.stringify([to, one, amount]));
}
