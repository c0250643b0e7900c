/**
 * Whoever poisons a history makes addresses whose ends look like a known one's, because that is what people
 * compare. So few of all addresses agree with a known one in so many characters by chance.
 */
const agreeing = 6;
const agreeingIgnoringCase = 8;

export function looksLike(address: string, known: string): boolean {
  if (address === known) return false;
  return (
    agreement(address, known) >= agreeing ||
    agreement(address.toLowerCase(), known.toLowerCase()) >= agreeingIgnoringCase
  );
}

/** In how many characters two addresses agree from their beginning, and from their end. */
function agreement(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  let head = 0;
  while (head < length && one[head] === other[head]) head += 1;
  let tail = 0;
  while (tail < length - head && one.at(-1 - tail) === other.at(-1 - tail)) tail += 1;
  return head + tail;
}
