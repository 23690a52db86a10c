/** Blocks as an author writes them, and what is said of the block whose statements are being written. */
import { fail } from "../errors/index.ts";
import { holds } from "../facts/depends.ts";
import { touchedByBlock } from "../facts/touches.ts";
import { both, variable } from "../ir/build.ts";
import { axesKnown } from "../ir/regions.ts";
import type { Axis as AxisData, Block as BlockData } from "../ir/types.ts";
import { type AnnotationValues, annotationsOf } from "./annotations.ts";
import { AxisMark, type BlockAxis } from "./axes.ts";
import { type BufferRegion, regionsOf } from "./buffers.ts";
import { functionMeta, ownFunction } from "./functions.ts";
import { condition } from "./numbers.ts";
import { describe, failGiven, Symbolic } from "./symbolic.ts";
import { currentTracing, type Frame, failHere, type Told, type Tracing } from "./tracing.ts";

function wantBody(f: unknown, what: string): () => unknown {
  if (typeof f === "function" && functionMeta(f)) return f as () => unknown;
  if (typeof f === "function")
    return failHere("W5516", { text: what, why: "is given a function that was written outside the program" });
  return failGiven(`the body of ${what}`, "a function", f, "write `() => { … }`");
}

function blockOf(name: string, axes: Record<string, unknown>, body: (axes: Record<string, number>) => void): void {
  const tracing = currentTracing("block(…)");
  if (typeof name !== "string" || name === "")
    failHere("W5508", {
      what: "the name of a block",
      wanted: "a text",
      got: name === "" ? "an empty one" : describe(name),
      instead: 'write `block("matmul", { … }, ({ … }) => { … })`',
    });
  const marks = typeof axes === "object" && axes !== null && !Array.isArray(axes) ? Object.entries(axes) : [];
  const wrong =
    Array.isArray(axes) || typeof axes !== "object" || axes === null
      ? axes
      : marks.find(([, mark]) => !(mark instanceof AxisMark))?.[1];
  if (wrong !== undefined || axes === null)
    failGiven(
      `an axis of block "${name}"`,
      "made by spatial(…) or reduce(…)",
      wrong ?? axes,
      "write `{ vi: spatial(i), vk: reduce(k) }`",
    );
  const run = wantBody(body, `block("${name}", …)`) as (axes: Record<string, unknown>) => unknown;
  const span = tracing.here();
  const all = marks.map(([key, mark]) => ({
    mark: mark as AxisMark,
    data: { variable: variable(key), extent: (mark as AxisMark).extent, type: (mark as AxisMark).type } satisfies AxisData,
  }));
  for (const { mark } of all) tracing.use(mark.value);
  const open: NonNullable<Frame["block"]> = {
    name,
    axes: all.map((a) => a.data),
    where: undefined,
    init: undefined,
    annotations: {},
    told: [],
  };
  const given = Object.fromEntries(all.map(({ data }) => [data.variable.name, new Symbolic(data.variable)]));
  const inside = tracing.inside(`block "${name}"`, { block: open }, () => run(given));
  const { where, init, annotations, told } = open;
  const made: BlockData = {
    kind: "block",
    name,
    axes: open.axes,
    values: all.map(({ mark }) => mark.value),
    ...(where ? { where } : {}),
    ...(init ? { init } : {}),
    body: inside,
    annotations,
    span,
  };
  checkTold(made, told);
  tracing.emit(made);
}

/** What a block does must lie in what its `reads` and `writes` name, where it has them. W5517. */
function checkTold(made: BlockData, told: readonly Told[]): void {
  if (told.length === 0) return;
  const touched = touchedByBlock(made);
  for (const kind of ["reads", "writes"] as const) {
    const [first] = told.filter((t) => t.kind === kind);
    if (!first) continue;
    const named = told.filter((t) => t.kind === kind).flatMap((t) => t.regions);
    for (const region of touched[kind])
      if (!named.some((n) => n.buffer === region.buffer && holds(n, region, axesKnown(made))))
        fail("W5517", { kind, block: made.name, buffer: region.buffer.name }, first.span ? [first.span] : []);
  }
}

/**
 * A computation at one point of its axes, whatever loops run it: `block("copy", { vi: spatial(i) }, ({ vi }) => { … })`. Its name is its own in the program.
 * W5508, W5516.
 */
export const block: <A extends Readonly<Record<string, BlockAxis>>>(
  name: string,
  axes: A,
  body: (axes: { readonly [K in keyof A]: number }) => void,
  // An axis is a number to the author, and an expression here.
) => void = ownFunction(blockOf as never);

/** The block whose own statements are being written. `first`: before any of them. */
function openBlock(what: string, first: boolean): { tracing: Tracing; open: NonNullable<Frame["block"]> } {
  const tracing = currentTracing(`${what}(…)`);
  const { block: open, body } = tracing.frame;
  if (!open)
    return failHere("W5514", {
      what: `${what}(…)`,
      where: "it belongs to the block whose statements these are",
      instead: `write it in the function of a block, and in no loop or branch of it`,
    });
  if (first && body.length > 0)
    failHere("W5514", {
      what: `${what}(…)`,
      where: `block "${open.name}" has begun already`,
      instead: `write it before the block's other statements`,
    });
  return { tracing, open };
}

/** The block runs where the condition holds. Before its other statements; several are joined by `&&`. W5514. */
export const where: (condition: boolean) => void = ownFunction((holds: boolean) => {
  const { tracing, open } = openBlock("where", true);
  open.where = both(open.where, tracing.use(condition(holds, "the condition of where(…)")));
});

/** What runs before the block where all its reduction axes are 0. Before its other statements. W5514. */
export const init: (body: () => void) => void = ownFunction((body: () => void) => {
  const { tracing, open } = openBlock("init", true);
  if (open.init)
    failHere("W5514", { what: "init(…)", where: `block "${open.name}" has one already`, instead: "write both in one" });
  const run = wantBody(body, "init(…)");
  open.init = tracing.inside("init", {}, () => void run());
});

/** Notes on the block, or at the top of a program on all of it, for passes that come later and for the reader. W5508, W5514. */
export const annotate: (annotations: AnnotationValues) => void = ownFunction((annotations: AnnotationValues) => {
  const tracing = currentTracing("annotate(…)");
  if (!tracing.frame.parent) {
    tracing.annotations = { ...tracing.annotations, ...annotationsOf(annotations, "annotate(…)") };
    return;
  }
  const { open } = openBlock("annotate", false);
  open.annotations = { ...open.annotations, ...annotationsOf(annotations, "annotate(…)") };
});

function told(kind: "reads" | "writes", given: readonly unknown[]): void {
  const { tracing, open } = openBlock(kind, false);
  const regions = regionsOf(`${kind}(…)`, given).map((r) => r.region);
  open.told.push({ kind, regions, span: tracing.here() });
}
/** What the block reads, for the reader: it is derived, and what is written must cover it. W5508, W5514. */
export const reads: (...regions: readonly BufferRegion[]) => void = ownFunction((...given) => told("reads", given));
/** What the block writes, for the reader: it is derived, and what is written must cover it. W5508, W5514. */
export const writes: (...regions: readonly BufferRegion[]) => void = ownFunction((...given) => told("writes", given));
