/**
 * Requires: a loop over K whose body copies tiles of A and B and multiplies them. Ensures: copies are asynchronous and in stage 0, products in
 * stage depth - 1, which come first in an iteration: one barrier then stands between a product and the copy over what it has read. The loop
 * skips copies of trips that there are not, or its last trips stand behind it (`epilogue`). Tiles of padded matrices are copied by threads, which
 * wait for them. IREE's `loadGlobalStage0`.
 */
import type { Stmt } from "../../ir/types.ts";
import { loopsOf, statements } from "../../ir/walk.ts";
import { bodyOf, type PipelinePass } from "../working.ts";

/** Whether a block copies elements as they are: those of padded matrices are chosen. */
const isPlain = (s: Stmt): boolean => s.kind === "store" && s.value.kind === "load";

/** What cp.async copies at least (PTX ISA 9.7.9.25.3.1). */
const leastAsyncBits = 32;

export const softwarePipeline: PipelinePass = {
  name: "software-pipeline",
  run(w) {
    const { sch, plan, loops, copies } = w;
    const trips = loops.get("trips");
    const operands = copies.filter((c) => c.operand);
    if (!trips || plan.depth === 1 || operands.length === 0) return;
    const wide = plan.copyBits >= leastAsyncBits;
    for (const { block } of operands) if (wide && isPlain(bodyOf(w, block))) sch.annotate(block, { async: true });
    const names = new Set(operands.map((c) => c.block.name));
    const body = loopsOf(sch.program).find((l) => l.variable === trips.variable)?.body;
    const all: readonly Stmt[] = body?.kind === "seq" ? body.body : [];
    const loads = all.map((s) => [...statements(s)].some((x) => x.kind === "block" && names.has(x.name)));
    const products = loads.filter((is) => !is).length;
    let [product, copy] = [0, products];
    const order = loads.map((c) => (c ? copy++ : product++));
    sch.pipeline(trips, { stages: loads.map((c) => (c ? 0 : plan.depth - 1)), order, epilogue: plan.epilogue });
  },
};
