import {
  type Accumulator, fence, type Mbarrier, type Operand, type SharedView, sharedMemory, staticRange, TMA, tma, WGMMAMatrix, warpgroup,
} from "warpsmith";
import { type Plan, panelOf, partOf, swizzleOf } from "./plan.ts";

/** Tiles of A and B in shared memory: how to fill them, and what a warpgroup sees of them. */
export interface Operands {
  /** Of A and B in one stage. */
  readonly bytes: number;
  /** Starts the loads for step k of tile (m, n); `full` is to expect `bytes`. One thread calls it. */
  load(stage: number, full: Mbarrier, m: number, n: number, k: number): void;
  /** The operands of warpgroup `wg` in a stage. */
  of(wg: number): { A(stage: number): Operand; B(stage: number): Operand };
}

export function makeOperands(a: TMA<"f16", 2>, b: TMA<"f16", 2>, plan: Plan): Operands {
  "use kernel";
  const [tileM, tileN, tileK] = plan.tile, { rows, columns, across } = partOf(plan), { stages, transposed } = plan;
  const aTiles = sharedMemory.alloc("f16", [stages, tileM, tileK], { swizzle: "128B" });
  const bTiles = transposed
    ? sharedMemory.alloc("f16", [stages * across, columns, tileK], { swizzle: "128B" })
    : sharedMemory.alloc("f16", [stages * across, tileK, columns], { swizzle: swizzleOf(columns) });
  return {
    bytes: aTiles.at(0).bytes + across * bTiles.at(0).bytes,
    load(stage, full, m, n, k) {
      a.load(aTiles.at(stage), full, [k * tileK, m * tileM]);
      for (const i of staticRange(across)) {
        const col = n * tileN + i * columns;
        b.load(bTiles.at(stage * across + i), full, transposed ? [k * tileK, col] : [col, k * tileK]);
      }
    },
    of(wg) {
      const mine = aTiles.subview([0, Math.floor(wg / across) * rows, 0], [stages, rows, tileK]);
      const A = WGMMAMatrix.descriptor(mine, [rows, tileK]);
      const B = WGMMAMatrix.descriptor(transposed ? bTiles.transpose(0, 2, 1) : bTiles, [tileK, columns]);
      return { A: (stage) => A.at(stage), B: (stage) => B.at(stage * across + (wg % across)) };
    },
  };
}

/** Room for two panels of each warpgroup's part of C. */
export function makePanels(plan: Plan): SharedView<"f16", 4> {
  "use kernel";
  const { rows } = partOf(plan), panel = panelOf(plan);
  return sharedMemory.alloc("f16", [plan.warpgroups, 2, rows, panel], { swizzle: swizzleOf(panel) });
}

/**
 * Warpgroup `wg` stores its part D of tile (m, n) as f16, panel by panel: TMA empties one buffer while the other is filled. What
 * hangs over the edge of C is clipped. `tma.wait(0)` before the block ends.
 */
export function storePart(D: Accumulator, c: TMA<"f16", 2>, panels: SharedView<"f16", 4>, plan: Plan, wg: number, m: number, n: number): void {
  "use kernel";
  const [tileM, tileN] = plan.tile, { rows, columns, across } = partOf(plan), width = panelOf(plan);
  const row = m * tileM + Math.floor(wg / across) * rows, col = n * tileN + (wg % across) * columns;
  const leader = warpgroup.thread === 0, running = columns > width ? 1 : 0;     // a lone panel has one buffer, not two in turn
  for (const at of staticRange(0, columns, width)) {
    const panel = panels.at(wg, (at / width) % 2);
    if (leader) tma.wait(running, { read: true });     // TMA has read what this buffer held before …
    warpgroup.sync();                                  // … and everyone knows
    D.columns(at, width).convert("f16").store(panel);
    fence.proxyAsync({ space: "shared::cta" });        // TMA sees what each thread has written …
    warpgroup.sync();                                  // … when all have
    if (leader) {
      c.store(panel, [col + at, row], { outside: true });  // of the last tiles whole panels may lie beside C
      tma.commit();
    }
  }
}
