/**
 * Requires: a loop over K whose body copies tiles of A and B and multiplies them. Ensures: copies are asynchronous and in stage 0, products in
 * stage depth - 1, which come first in an iteration: one barrier then stands between a product and the copy over what it has read. The loop
 * skips copies of trips that there are not, or its last trips stand behind it (`epilogue`). IREE's `loadGlobalStage0`.
 */
import type { Stmt } from "../../ir/types.ts";
import { loopsOf, statements } from "../../ir/walk.ts";
import type { PipelinePass } from "../working.ts";

export const softwarePipeline: PipelinePass = {
  name: "software-pipeline",
  run({ sch, plan, loops, copies }) {
    const trips = loops.get("trips");
    const operands = copies.filter((c) => c.operand);
    if (!trips || plan.depth === 1 || operands.length === 0) return;
    for (const { block } of operands) sch.annotate(block, { async: true });
    const names = new Set(operands.map((c) => c.block.name));
    const body = loopsOf(sch.program).find((l) => l.variable === trips.variable)?.body;
    const all: readonly Stmt[] = body?.kind === "seq" ? body.body : [];
    const copies0 = all.map((s) => [...statements(s)].some((x) => x.kind === "block" && names.has(x.name)));
    const products = copies0.filter((c) => !c).length;
    let [product, copy] = [0, products];
    const order = copies0.map((c) => (c ? copy++ : product++));
    sch.pipeline(trips, { stages: copies0.map((c) => (c ? 0 : plan.depth - 1)), order, epilogue: plan.epilogue });
  },
};
