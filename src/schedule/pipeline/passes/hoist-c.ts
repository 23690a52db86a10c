/**
 * Requires: the product in loops of one instruction, its operands in registers. Ensures: a warp's part of C is in registers across all of
 * K: loaded before the first trip, or set to 0 there, and stored after the last.
 */
import type { BlockRef } from "../../schedule.ts";
import { cachedC, innermost, loopNames, type PipelinePass, type Working } from "../working.ts";
import { inTiles } from "./optimise-transfers.ts";

const isConsumer = ({ sch }: Working, block: BlockRef, name: string): boolean =>
  sch.getConsumers(block).some((other) => other.name === name);

export const hoistC: PipelinePass = {
  name: "hoist-c",
  run(w) {
    const { sch, plan, product, tensorized } = w;
    const { contraction, instruction, names, row } = plan;
    const memory = plan.promoteC === "shared" ? "shared" : "global";
    const { into, out } = cachedC(w, `${row.family.prefix}.accumulator`, innermost(w, "warpColumns"));
    if (into) {
      inTiles(w, into, instruction.m, instruction.n);
      tensorized.push({ block: into, intrinsic: names.loadC(memory), loops: 2 });
    }
    // What is padded is stored where C has it: straight from registers here, else on the way from shared memory.
    const back = plan.promoteC === "registers" ? w.padding.find(({ name }) => isConsumer(w, out, name)) : undefined;
    if (back) sch.reverseComputeInline(back);
    inTiles(w, out, instruction.m, instruction.n);
    tensorized.push({ block: out, intrinsic: names.store(memory), loops: 2 });
    if (contraction.adds) {
      tensorized.push({ block: product, intrinsic: names.sync, loops: 3 });
      return;
    }
    const outer = new Set(loopNames.slice(0, loopNames.indexOf("trips")).flatMap((n) => w.loops.get(n)?.variable ?? []));
    const first = sch.getLoops(product).find((l) => !outer.has(l.variable));
    if (!first) throw new Error("the product has no loops of its own");
    const [zero, update] = sch.decomposeReduction(product, first);
    tensorized.push({ block: zero, intrinsic: names.fill, loops: 2 }, { block: update, intrinsic: names.sync, loops: 3 });
  },
};
