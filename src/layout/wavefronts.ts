/** Shared memory has 32 banks, each of which gives one word of 4 bytes in one wavefront. */
export const [banks, wordBytes] = [32, 4];

/** What the lanes of a warp get in one instruction. */
export interface Served {
  /** In which wavefront each of them is served, from 0. Undefined where a lane takes no part. */
  readonly wavefront: readonly (number | undefined)[];
  readonly wavefronts: number;
  /** Of each bank, how many of its words are wanted in the group of lanes that wants most. */
  readonly wanted: readonly number[];
}

/**
 * When the lanes of one instruction are served, from the address of each. Lanes of 8 bytes are served by halves of a warp and those of 16 by
 * quarters; among the lanes that are served together, each further word of a bank is one more wavefront, and a word that several want is
 * given to all at once. A lane that takes no part has no address.
 */
export function served(addresses: readonly (number | undefined)[], bytes: number): Served {
  const together = (banks * wordBytes) / Math.max(bytes, wordBytes);
  const wavefront: (number | undefined)[] = [];
  const wanted = Array.from({ length: banks }, () => 0);
  let count = 0;
  for (let first = 0; first < addresses.length; first += together) {
    const perBank = new Map<number, number[]>();
    let most = 1;
    for (const address of addresses.slice(first, first + together)) {
      const own = address === undefined ? undefined : lastOf(address, bytes, perBank);
      wavefront.push(own === undefined ? undefined : count + own);
      most = Math.max(most, (own ?? 0) + 1);
    }
    for (const [bank, words] of perBank) wanted[bank] = Math.max(wanted[bank] ?? 0, words.length);
    count += most;
  }
  return { wavefront, wavefronts: count, wanted };
}

/** Which word of its bank comes last of those at an address; those that nobody has wanted before are put behind the others. */
function lastOf(address: number, bytes: number, perBank: Map<number, number[]>): number {
  let last = 0;
  for (let byte = 0; byte < bytes; byte += wordBytes) {
    const word = Math.floor((address + byte) / wordBytes);
    const words = perBank.get(word % banks) ?? [];
    if (!words.includes(word)) words.push(word);
    perBank.set(word % banks, words);
    last = Math.max(last, words.indexOf(word));
  }
  return last;
}

/** Wavefronts of one instruction. */
export const wavefronts = (addresses: readonly (number | undefined)[], bytes: number): number =>
  served(addresses, bytes).wavefronts;
