/**
 * Requires: a warp's tile of the product as loops over its rows, columns and summands. Ensures: the innermost loops are of one instruction;
 * those outside of them, over groups of summands, rows and columns of instructions, are written out. IREE unrolls to the instruction's shape in
 * that order, too. Casting away dimensions of one element and folding views of views have no work here: a block has indices, no views.
 */
import { dropSingleTrips, type LoopName, loopOf, type PipelinePass, setLoops, splitBy } from "../working.ts";

export const vectoriseContraction: PipelinePass = {
  name: "vectorise-contraction",
  run(w) {
    const { sch, plan, loops } = w;
    const [groups, depth] = splitBy(w, loopOf(w, "depth"), plan.instruction.k);
    const [tileRows, rows] = splitBy(w, loopOf(w, "rows"), plan.instruction.m);
    const [tileColumns, columns] = splitBy(w, loopOf(w, "columns"), plan.instruction.n);
    sch.reorder(groups, tileRows, tileColumns, rows, columns, depth);
    for (const name of ["rows", "columns", "depth"] satisfies LoopName[]) loops.delete(name);
    setLoops(w, { groups, tileRows, tileColumns });
    dropSingleTrips(w);
    for (const name of ["groups", "tileRows", "tileColumns"] satisfies LoopName[]) {
      const loop = loops.get(name);
      if (loop) sch.unroll(loop);
    }
  },
};
