/**
 * Requires: a loop over K whose body copies tiles of A and B and multiplies them. Ensures: copies are asynchronous and in stage 0, products in
 * stage depth - 1, which come first in an iteration: one barrier then stands between a product and the copy over what it has read. The loop
 * skips copies of trips that there are not, or its last trips stand behind it (`epilogue`). Tiles of padded matrices are copied by threads, which
 * wait for them. IREE's `loadGlobalStage0`.
 *
 * With operands loaded a group ahead, copies come first, then for each group the loads of the next one and the products of this one. The first group of
 * the next tile is loaded before the last products, behind the barrier: it is in stage depth - 2. IREE's pipeline for mma.sync.
 */
import type { Stmt } from "../../ir/types.ts";
import { loopsOf, statements } from "../../ir/walk.ts";
import { bodyOf, type PipelinePass, type Working } from "../working.ts";

/** Whether a block copies elements as they are: those of padded matrices are chosen. */
const isPlain = (s: Stmt): boolean => s.kind === "store" && s.value.kind === "load";

/** What cp.async copies at least (PTX ISA 9.7.9.25.3.1). */
const leastAsyncBits = 32;

/** What a statement of the loop does. */
type Part = "copy" | "load" | "product";

function partOf(w: Working, s: Stmt): Part {
  const copies = new Set(w.copies.flatMap((c) => (c.operand ? [c.block.name] : [])));
  const { names } = w.plan;
  const loads = new Set([names.loadA("shared"), names.loadB("shared")]);
  const inside = [...statements(s)];
  if (inside.some((x) => x.kind === "block" && copies.has(x.name))) return "copy";
  return inside.every((x) => x.kind !== "intrinsic" || loads.has(x.name)) ? "load" : "product";
}

interface Order {
  readonly stages: readonly number[];
  /** Numbers of the statements in the order in which they run. */
  readonly sequence: readonly number[];
}

/** Products first, then copies over what they have read. */
function productsFirst(parts: readonly Part[], depth: number): Order {
  const of = (copies: boolean): number[] => parts.flatMap((p, i) => ((p === "copy") === copies ? [i] : []));
  return { stages: parts.map((p) => (p === "copy" ? 0 : depth - 1)), sequence: [...of(false), ...of(true)] };
}

/** Copies, then each group's products behind the loads of the next one. */
function loadsAhead(parts: readonly Part[], depth: number): Order {
  const groups: { readonly loads: number[]; readonly products: number[] }[] = [];
  parts.forEach((part, i) => {
    if (part === "copy") return;
    const begins = part === "load" && parts[i - 1] !== "load";
    if (begins) groups.push({ loads: [], products: [] });
    groups.at(-1)?.[part === "load" ? "loads" : "products"].push(i);
  });
  const first = new Set(groups[0]?.loads);
  const copies = parts.flatMap((p, i) => (p === "copy" ? [i] : []));
  const turns = groups.flatMap((g, n) => [...(groups[(n + 1) % groups.length]?.loads ?? []), ...g.products]);
  return {
    stages: parts.map((p, i) => (p === "copy" ? 0 : first.has(i) ? depth - 2 : depth - 1)),
    sequence: [...copies, ...turns],
  };
}

export const softwarePipeline: PipelinePass = {
  name: "software-pipeline",
  run(w) {
    const { sch, plan, loops, copies } = w;
    const trips = loops.get("trips");
    const operands = copies.filter((c) => c.operand);
    if (!trips || plan.depth === 1 || operands.length === 0) return;
    const wide = plan.copyBits >= leastAsyncBits;
    for (const { block } of operands) if (wide && isPlain(bodyOf(w, block))) sch.annotate(block, { async: true });
    const body = loopsOf(sch.program).find((l) => l.variable === trips.variable)?.body;
    const all: readonly Stmt[] = body?.kind === "seq" ? body.body : [];
    const parts = all.map((s) => partOf(w, s));
    const { stages, sequence } = plan.doubleBuffer ? loadsAhead(parts, plan.depth) : productsFirst(parts, plan.depth);
    sch.pipeline(trips, { stages, order: parts.map((_, i) => sequence.indexOf(i)), epilogue: plan.epilogue });
  },
};
