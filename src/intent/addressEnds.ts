/** Of two addresses that people take for each other, one of the ends is the same in so many characters. */
const endLength = 3;

/** What addresses are looked up by that begin, or end, as this one does. */
export function endsOf(address: string): { readonly head: string; readonly tail: string } {
  const folded = address.toLowerCase();
  return { head: folded.slice(0, endLength), tail: folded.slice(-endLength) };
}
