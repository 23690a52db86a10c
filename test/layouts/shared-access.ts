/** What a trip between registers and shared memory takes, by linear maps: what `sharedTileCost` of the compiler is compared with. */
import { bitsOf, type Columns, reduce, solve } from "../../src/layout/bits.ts";
import { compose, pseudoInverse } from "../../src/layout/compose.ts";
import { registersWithin } from "../../src/layout/fit.ts";
import { apply, columnsOf, inputSize, type LinearLayout } from "../../src/layout/linear-layout.ts";
import { wavefronts } from "../../src/layout/wavefronts.ts";
import { addressing, elementBytesOf, plainShared, type SharedLayout } from "./shared-maps.ts";

const lineBytes = 128;

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
  const least = Math.max(1, (lanes.length * vectorBytes) / lineBytes);
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
