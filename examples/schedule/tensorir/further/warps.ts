import type { LoopRef, Schedule } from "warpsmith/schedule";
import { type Splits, tensorize } from "../steps.ts";

/** What stands in shared memory of a block. */
const tiles = ["X_shared", "Y_shared"] as const;
/** The loop over K of a block: copies stand in the block's loop, in that of its warps, and in this one. */
const tripsOf = (sch: Schedule): LoopRef => sch.getLoops(sch.getBlock("X_shared"))[2];

/** 9. Eight rows that are read together begin in eight other places of the banks, where all of them began in the same. */
export function rowsApart(n: number, splits: Splits): Schedule {
  const sch = tensorize(n, splits);
  for (const tile of tiles) sch.storageAlign(tile, 8);
  return sch;
}

/** Each thread begins all its copies of a tile, and the hardware makes them while it goes on. */
function copyAsynchronously(sch: Schedule): void {
  for (const tile of tiles) {
    const copy = sch.getBlock(tile);
    const [, , , iterations] = sch.getLoops(copy);
    sch.unroll(iterations);
    sch.annotate(copy, { async: true });
  }
}

/** Operands in registers are there once, whichever of the tiles in shared memory they come from. */
function keepOperandsOnce(sch: Schedule): void {
  for (const operand of ["X_shared_wmma_matrix_a", "Y_shared_wmma_matrix_b"]) sch.multiBuffer(operand, tripsOf(sch), 1);
}

/** 11. The tile that is copied is needed `ahead` trips later. One barrier a trip: products come first, then a copy over what the trip before has read. */
export function copiesAhead(n: number, splits: Splits, ahead: number): Schedule {
  const sch = rowsApart(n, { ...splits, versions: ahead + 1 });
  copyAsynchronously(sch);
  keepOperandsOnce(sch);
  const [copyX, copyY, products] = [1, 2, 0];
  sch.pipeline(tripsOf(sch), { stages: [0, 0, ahead], order: [copyX, copyY, products], epilogue: "predicated" });
  return sch;
}

/** 12. The two groups of a trip are written out, and each loads what the other one multiplies next; the first group of a tile in the trip before. */
export function operandsAhead(n: number, splits: Splits, ahead: number): Schedule {
  const sch = rowsApart(n, { ...splits, versions: ahead + 1 });
  copyAsynchronously(sch);
  keepOperandsOnce(sch);
  const groups = sch.getLoops(sch.getBlock("matmul_o_update"))[3];
  for (const group of sch.loopPartition(groups, [1, 1])) sch.dropLoop(group);
  const statements = [
    { stage: 0, place: 0 }, //         copy of X
    { stage: 0, place: 1 }, //         copy of Y
    { stage: ahead - 1, place: 5 }, // loads of the first group, for the next trip
    { stage: ahead - 1, place: 6 },
    { stage: ahead, place: 4 }, //     products of the first group
    { stage: ahead, place: 2 }, //     loads of the second group
    { stage: ahead, place: 3 },
    { stage: ahead, place: 7 }, //     products of the second group
  ];
  sch.pipeline(tripsOf(sch), { stages: statements.map((s) => s.stage), order: statements.map((s) => s.place) });
  return sch;
}
