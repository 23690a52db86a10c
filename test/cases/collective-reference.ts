/** What the threads of a group have together, in plain JavaScript, in the order that the language promises. */

/** Neighbours two by two, then these; the last of an odd number waits. */
export function tree<T>(values: readonly T[], combine: (a: T, b: T) => T): T {
  let round = values;
  while (round.length > 1) {
    const pairs: T[] = [];
    for (let i = 0; i < round.length; i += 2)
      pairs.push(i + 1 < round.length ? combine(round[i] as T, round[i + 1] as T) : (round[i] as T));
    round = pairs;
  }
  return round[0] as T;
}

export const parts = <T>(values: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, i) => values.slice(i * size, (i + 1) * size));

/** Each warp, then their warps, then the blocks. */
export const reduceBlocks = <T>(blocks: readonly (readonly T[])[], combine: (a: T, b: T) => T): T =>
  tree(
    blocks.map((block) =>
      tree(
        parts(block, 32).map((warp) => tree(warp, combine)),
        combine,
      ),
    ),
    combine,
  );

/** Of a warp: with the lane before, then with what lies two before, … */
function scanWarp<T>(warp: readonly T[], combine: (a: T, b: T) => T): readonly T[] {
  let now = warp;
  for (let by = 1; by < 32; by *= 2) {
    const last = now;
    now = last.map((v, lane) => (lane >= by ? combine(last[lane - by] as T, v) : v));
  }
  return now;
}

const fold = <T>(values: readonly T[], combine: (a: T, b: T) => T): T | undefined =>
  values.length === 0 ? undefined : values.reduce(combine);

/** The blocks before, with the warps before, with the lanes of the warp. `first`: those before each thread, and that for the first one. */
export function scanBlocks<T>(blocks: readonly (readonly T[])[], combine: (a: T, b: T) => T, first?: T): T[] {
  const join = (a: T | undefined, b: T | undefined): T | undefined =>
    a === undefined || b === undefined ? (a ?? b) : combine(a, b);
  const warps = blocks.map((block) => parts(block, 32).map((warp) => scanWarp(warp, combine)));
  const totals = warps.map((block) => block.map((warp) => warp.at(-1) as T));
  return warps.flatMap((block, b) => {
    const outer = fold(
      totals.slice(0, b).map((all) => tree(all, combine)),
      combine,
    );
    return block.flatMap((warp, w) => {
      const before = join(outer, fold((totals[b] ?? []).slice(0, w), combine));
      return warp.map((v, lane) => {
        const own = first === undefined ? v : warp[lane - 1];
        return join(before, own) ?? (first as T);
      });
    });
  });
}
