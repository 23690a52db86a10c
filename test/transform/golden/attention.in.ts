// Like flash attention: partitions, closures that build tiles, values carried through a loop, products in flight.
import { fast, kernel, range, sharedMemory, tile, type TMA, warpgroup, wgmma, WGMMAMatrix, type Accumulator, type Static } from "warpsmith";

const ROWS = 64, COLS = 128;

export const attend = kernel({ block: 256 }, function attend(q: TMA<"f16", 3>, k: TMA<"f16", 3>, causal: Static<boolean>) {
  const tiles = sharedMemory.alloc("f16", [2, COLS, ROWS], { swizzle: "128B" });
  warpgroup.specialize({
    producer: { registers: 24, run: () => {
      if (!warpgroup.elect()) return;
      for (const j of range(q.shape[1])) k.load(tiles.at(j % 2), [0, j * COLS, 0]);
    } },
    consumer: { registers: 240, run: (wg) => {
      const keys = WGMMAMatrix.descriptor(tiles, [ROWS, COLS]);
      const masked = (S: Accumulator, j: number) =>
        S.map((s, row, col) => !causal || j * COLS + col <= row ? s : -Infinity).tile;
      let S = WGMMAMatrix.accumulator("f32", [ROWS, COLS]), largest = tile.max(masked(S, 0), 1);
      for (const j of range(1, 8)) {
        S = S.mma(keys.at(0), keys.at(1), { accumulate: false }); // the next scores
        wgmma.wait(0);
        const before = largest;
        largest = Math.max(before, tile.max(masked(S, j), 1));
        if (wg === 1) S = S.scale(fast.exp2(before - largest));
      }
    } },
  });
});
