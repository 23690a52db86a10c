import { bitsOf, type Columns, reduce, solve } from "./bits.ts";
import { compose, pseudoInverse } from "./compose.ts";
import { registersWithin } from "./fit.ts";
import { apply, columnsOf, inputSize, type LinearLayout } from "./linear-layout.ts";
import { addressing, elementBytesOf, plainShared, type SharedLayout } from "./shared.ts";

/** Shared memory has 32 banks, each of which gives one word of 4 bytes in one wavefront. */
const [banks, wordBytes] = [32, 4];

/** How registers and shared memory meet: what loading or storing a whole tile takes, all warps of a block together. */
export interface SharedAccess {
  /** Of one lane in one instruction. */
  readonly vectorBytes: number;
  readonly instructions: number;
  readonly wavefronts: number;
  /** Wavefronts beyond those that as many bytes without a conflict take. */
  readonly conflicts: number;
}

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

/**
 * What it takes to move a tile between registers and shared memory, with vectors as long as the layouts allow: neighbours in memory that
 * a thread holds, up to `widest` bytes.
 */
export function sharedAccess(registers: LinearLayout, memory: LinearLayout | SharedLayout, widest = 16): SharedAccess {
  const shared = "layout" in memory ? memory : plainShared(memory);
  const bytes = elementBytesOf(shared.layout);
  const neighbours = vectorRegisters(registers, shared, Math.max(widest, bytes));
  const vectorBytes = bytes * 2 ** neighbours.length;
  // Each vector once: registers without the bits that go through its elements.
  const taken = reduce(neighbours).rows.reduce((mask, row) => mask | row.pivot, 0);
  const firsts = registersWithin(registers, shared.shape).filter((register) => (register & taken) === 0);
  const address = addressing(shared);
  const lanes = Array.from({ length: inputSize(registers, "lane") }, (_, lane) => lane);
  let [instructions, count] = [0, 0];
  for (let warp = 0; warp < inputSize(registers, "warp"); warp++) {
    for (const register of firsts) {
      const starts = lanes.map((lane) => {
        const own = address(apply(registers, known(registers, { register, lane, warp })));
        return own - (own % vectorBytes);
      });
      instructions += 1;
      count += wavefronts(starts, vectorBytes);
    }
  }
  const least = Math.max(1, (lanes.length * vectorBytes) / (banks * wordBytes));
  return { vectorBytes, instructions, wavefronts: count, conflicts: count - instructions * least };
}

const known = (layout: LinearLayout, place: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(place).filter(([name]) => layout.inputs.some((d) => d.name === name)));

/** For each doubling of a vector, the registers that differ by so many bytes: as many as there are. */
function vectorRegisters(registers: LinearLayout, { layout, paddings }: SharedLayout, widest: number): Columns {
  const own: LinearLayout = { inputs: registers.inputs.filter((d) => d.name === "register"), outputs: registers.outputs };
  const offsets = reduce(columnsOf(compose(own, pseudoInverse(layout))));
  const limit = Math.min(
    widest,
    ...paddings.flatMap(({ every, by }) => [every, Math.abs(by)].map((n) => bitsOf(n)[0] ?? widest)),
  );
  const found: number[] = [];
  for (let bytes = elementBytesOf(layout); bytes < limit; bytes *= 2) {
    const register = solve(offsets, bytes);
    if (register === undefined) break;
    found.push(register);
  }
  return found;
}
