/** Shared memory has 32 banks, each of which gives one word of 4 bytes in one wavefront. */
const [banks, wordBytes] = [32, 4];

/**
 * Wavefronts of one instruction, from the address of each lane. Lanes of 8 bytes are served by halves of a warp and those of 16 by
 * quarters; among the lanes that are served together, each further word of a bank is one more wavefront, and a word that several want is
 * given to all at once. A lane that takes no part has no address.
 */
export function wavefronts(addresses: readonly (number | undefined)[], bytes: number): number {
  const together = (banks * wordBytes) / Math.max(bytes, wordBytes);
  let count = 0;
  for (let first = 0; first < addresses.length; first += together) {
    const words = new Set<number>();
    for (const address of addresses.slice(first, first + together)) {
      if (address === undefined) continue;
      for (let byte = 0; byte < bytes; byte += wordBytes) words.add(Math.floor((address + byte) / wordBytes));
    }
    const perBank = new Map<number, number>();
    for (const word of words) perBank.set(word % banks, (perBank.get(word % banks) ?? 0) + 1);
    count += Math.max(1, ...perBank.values());
  }
  return count;
}
