/** What an author writes in a program. */
import { checkOptions, fail, optionsOf } from "../../diag/index.ts";
import type { DType } from "../../types.ts";
import { both, variable } from "../ir/build.ts";
import { axesKnown } from "../ir/regions.ts";
import {
  type Annotations,
  type Axis as AxisData,
  type Block as BlockData,
  type Buffer as BufferData,
  type Expr,
  type LoopKind,
  type Scope,
  scopes,
  type ThreadTag,
} from "../ir/types.ts";
import { holds } from "../primitives/depends.ts";
import { touchedByBlock } from "../primitives/touches.ts";
import { type Buffer, BufferObject, type BufferRegion, extentOf, isBufferType, RegionObject } from "./buffers.ts";
import { functionMeta, ownFunction } from "./functions.ts";
import { binary, condition, whole } from "./numbers.ts";
import { describe, isSymbolic, Symbolic } from "./symbolic.ts";
import { currentTracing, type Frame, failHere, spansHere, type Told, type Tracing } from "./tracing.ts";

/** What a loop or a block is told for passes that come later, and for the reader. */
export type AnnotationValues = Annotations;

/** Loops inside one another, before their body is there. */
export class Loops implements Iterable<never> {
  readonly extents: readonly Expr[];
  readonly kind: LoopKind;
  readonly annotations: Annotations;
  /** One loop gives its variable, several give an array of theirs. */
  readonly single: boolean;
  constructor(extents: readonly Expr[], kind: LoopKind, annotations: Annotations, single: boolean) {
    this.extents = extents;
    this.kind = kind;
    this.annotations = annotations;
    this.single = single;
  }
  [Symbol.iterator](): Iterator<never> {
    return failHere("W5516", {
      text: "for (… of …)",
      why: "goes through loops of a program in a function that was written outside it",
    });
  }
}

function annotationsOf(given: unknown, what: string): Annotations {
  if (given === undefined) return {};
  const plain = typeof given === "object" && given !== null && !Array.isArray(given) && !isSymbolic(given);
  const ok = (x: unknown): boolean =>
    typeof x === "string" || typeof x === "boolean" || (typeof x === "number" && Number.isFinite(x));
  if (plain && Object.values(given).every((x) => ok(x) || (Array.isArray(x) && x.every((n) => typeof n === "number"))))
    return { ...(given as Annotations) };
  return failHere("W5508", {
    what: `what ${what} is told`,
    wanted: "an object of texts, numbers, truth values and lists of numbers",
    got: plain ? "one with something else in it" : describe(given),
    instead: 'write `{ name: "value" }`',
  });
}

function oneLoop(what: string, kind: LoopKind, extent: unknown, annotations: unknown): Loops {
  currentTracing(`${what}(…)`);
  return new Loops([extentOf(extent, `the extent of ${what}(…)`)], kind, annotationsOf(annotations, `${what}(…)`), true);
}

function gridOf(...extents: readonly number[]): Loops {
  currentTracing("grid(…)");
  if (extents.length === 0)
    failHere("W5508", {
      what: "grid(…)",
      wanted: "one extent for each loop",
      got: "nothing",
      instead: "write `grid(16)` or `grid(16, 16)`",
    });
  return new Loops(
    extents.map((e) => extentOf(e, "an extent of grid(…)")),
    "serial",
    {},
    extents.length === 1,
  );
}

/** Serial loops inside one another, one for each extent: `for (const [i, j] of grid(64, 64))`, `for (const i of grid(64))`. W5508. */
export const grid: {
  (extent: number): Iterable<number>;
  <const E extends readonly number[]>(...extents: E): Iterable<{ readonly [K in keyof E]: number }>;
} = ownFunction(gridOf as never);

/** One serial loop, with annotations. W5508. */
export const serial: (extent: number, annotations?: AnnotationValues) => Iterable<number> = ownFunction(
  (extent: number, annotations?: AnnotationValues) => oneLoop("serial", "serial", extent, annotations),
);

/** A loop whose body is written out for each of its iterations. W5508. */
export const unrolled: (extent: number, annotations?: AnnotationValues) => Iterable<number> = ownFunction(
  (extent: number, annotations?: AnnotationValues) => oneLoop("unrolled", "unroll", extent, annotations),
);

/** A loop whose iterations are one access of neighbours in memory. W5508. */
export const vectorized: (extent: number, annotations?: AnnotationValues) => Iterable<number> = ownFunction(
  (extent: number, annotations?: AnnotationValues) => oneLoop("vectorized", "vectorize", extent, annotations),
);

const tags: readonly ThreadTag[] = ["blockIdx.x", "blockIdx.y", "blockIdx.z", "threadIdx.x", "threadIdx.y", "threadIdx.z"];

/** A loop whose iterations are the threads of a block or the blocks of a grid: `bind("threadIdx.x", 128)`. W5508. */
export const bind: (tag: ThreadTag, extent: number, annotations?: AnnotationValues) => Iterable<number> = ownFunction(
  (tag: ThreadTag, extent: number, annotations?: AnnotationValues) => {
    if (!tags.includes(tag))
      failHere("W5508", {
        what: "what a loop is bound to",
        wanted: "an index of threads or blocks",
        got: describe(tag),
        instead: `write one of ${tags.join(", ")}`,
      });
    return oneLoop("bind", tag, extent, annotations);
  },
);

/** An axis of a block that is yet to be named. */
class AxisMark {
  readonly type: AxisData["type"];
  readonly extent: Expr;
  readonly value: Expr;
  constructor(type: AxisData["type"], extent: Expr, value: Expr) {
    this.type = type;
    this.extent = extent;
    this.value = value;
  }
  get describe(): string {
    return "an axis";
  }
}

function axis(type: "spatial" | "reduce", given: readonly unknown[]): AxisMark {
  const tracing = currentTracing(`${type}(…)`);
  if (given.length >= 2)
    return new AxisMark(
      type,
      extentOf(given[0], `the extent of ${type}(…)`),
      tracing.use(whole(given[1], `the value of ${type}(…)`)),
    );
  const [only] = given;
  const extent = isSymbolic(only) && only.expr.kind === "var" ? tracing.extents.get(only.expr) : undefined;
  if (!extent || !isSymbolic(only))
    return failHere("W5508", {
      what: `what ${type}(…) takes alone`,
      wanted: "the variable of a loop",
      got: isSymbolic(only) ? "an expression" : describe(only),
      instead: `give the extent first: \`${type}(64, i * 16 + ii)\``,
    });
  return new AxisMark(type, extent, only.expr);
}

/** What an axis of a block is: `spatial(i)`, `reduce(64, k)`. */
export interface BlockAxis {
  /** Spatial ones may run in any order, reductions are summed up in any order. */
  readonly type: "spatial" | "reduce";
}

/** An axis whose values may run in any order and at the same time: `spatial(i)` takes its extent from the loop, `spatial(64, expr)` has both. W5508. */
export const spatial: { (loop: number): BlockAxis; (extent: number, value: number): BlockAxis } = ownFunction(
  (...given: readonly unknown[]) => axis("spatial", given),
);
/** An axis over which the block sums up, in any order: `reduce(k)`, `reduce(64, expr)`. W5508. */
export const reduce: { (loop: number): BlockAxis; (extent: number, value: number): BlockAxis } = ownFunction(
  (...given: readonly unknown[]) => axis("reduce", given),
);

function wantBody(f: unknown, what: string): () => unknown {
  if (typeof f === "function" && functionMeta(f)) return f as () => unknown;
  if (typeof f === "function")
    return failHere("W5516", { text: what, why: "is given a function that was written outside the program" });
  return failHere("W5508", {
    what: `the body of ${what}`,
    wanted: "a function",
    got: describe(f),
    instead: "write `() => { … }`",
  });
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
    failHere("W5508", {
      what: `an axis of block "${name}"`,
      wanted: "made by spatial(…) or reduce(…)",
      got: describe(wrong ?? axes),
      instead: "write `{ vi: spatial(i), vk: reduce(k) }`",
    });
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

function regionsOf(what: string, given: readonly unknown[]): readonly RegionObject[] {
  return given.map((region) =>
    region instanceof RegionObject
      ? region
      : failHere("W5508", {
          what: `what ${what} takes`,
          wanted: "a part of a buffer",
          got: describe(region),
          instead: "write `X.region([i, 16], [j, 16])`",
        }),
  );
}

function told(kind: "reads" | "writes", given: readonly unknown[]): void {
  const { tracing, open } = openBlock(kind, false);
  const regions = regionsOf(`${kind}(…)`, given).map((r) => r.region);
  open.told.push({ kind, regions, span: tracing.here() });
}
/** What the block reads, for the reader: it is derived, and what is written must cover it. W5508, W5514. */
export const reads: (...regions: readonly BufferRegion[]) => void = ownFunction((...given) => told("reads", given));
/** What the block writes, for the reader: it is derived, and what is written must cover it. W5508, W5514. */
export const writes: (...regions: readonly BufferRegion[]) => void = ownFunction((...given) => told("writes", given));

const swizzles = ["xor", "32B", "64B", "128B"] as const;

/** How a buffer in shared memory is laid out, against bank conflicts. */
export interface AllocOptions {
  /** Elements put in after each row of the last dimension. */
  readonly padding?: number;
  /** How the 16-byte units of a row are permuted; "128B" is what TMA and wgmma share. */
  readonly swizzle?: "xor" | "32B" | "64B" | "128B";
}

const allocOptions = optionsOf<AllocOptions>("alloc()", { padding: true, swizzle: true });

function layoutOf(options: AllocOptions, scope: Scope): AllocOptions {
  const bad = (what: string, got: unknown, instead: string): never =>
    failHere("W5508", { what, wanted: "what `alloc` knows", got: describe(got), instead });
  checkOptions(options, allocOptions, { spans: spansHere, describe });
  const { padding, swizzle } = options;
  if (padding !== undefined && (!Number.isInteger(padding) || padding < 0))
    bad("`padding`", padding, "give a number of elements");
  if (swizzle !== undefined && !swizzles.includes(swizzle)) bad("`swizzle`", swizzle, `write one of ${swizzles.join(", ")}`);
  if ((padding || swizzle) && scope !== "shared")
    bad("the layout of a buffer outside shared memory", scope, 'leave `padding` and `swizzle` out, or let it be "shared"');
  return { ...(padding ? { padding } : {}), ...(swizzle ? { swizzle } : {}) };
}

function allocOf(dtype: DType, shape: readonly number[], scope: Scope = "global", options: AllocOptions = {}): BufferObject {
  const tracing = currentTracing("alloc(…)");
  if (tracing.frame.parent)
    failHere("W5514", {
      what: "alloc(…)",
      where: `it stands in ${tracing.frame.what}, and buffers belong to the whole program`,
      instead: "write it at the top of the program",
    });
  if (!isBufferType(dtype))
    failHere("W5508", {
      what: "the first argument of alloc(…)",
      wanted: "the type of its elements",
      got: describe(dtype),
      instead: 'write `alloc("f32", [16, 16])`',
    });
  if (!Array.isArray(shape) || shape.length === 0)
    failHere("W5508", {
      what: "the shape of a buffer",
      wanted: "a list of extents",
      got: describe(shape),
      instead: 'write `alloc("f32", [16, 16])`',
    });
  if (!scopes.includes(scope))
    failHere("W5508", {
      what: "where a buffer lives",
      wanted: "a scope",
      got: describe(scope),
      instead: `write one of ${scopes.join(", ")}`,
    });
  const span = tracing.here();
  const data: BufferData = {
    name: span?.binds ?? `buffer${tracing.buffers.length}`,
    dtype,
    shape: shape.map((e) => extentOf(e, "an extent of a buffer")),
    scope,
    ...layoutOf(options, scope),
    span,
  };
  tracing.buffers.push(data);
  return new BufferObject(data);
}

/** A buffer of the program, at the top of its body; its name is that of the `const`. Scope: "global" where it is left out. W5508, W5514. */
export const alloc: <const D extends DType, const S extends readonly number[]>(
  dtype: D,
  shape: S,
  scope?: Scope,
  options?: AllocOptions,
) => Buffer<D, S["length"]> = ownFunction(allocOf as never);

/** A call of a registered tensor intrinsic on parts of buffers, in the order of its description's parameters. W5508. */
export const intrinsic: (name: string, ...args: readonly BufferRegion[]) => void = ownFunction((name: string, ...given) => {
  const tracing = currentTracing("intrinsic(…)");
  if (typeof name !== "string" || name === "")
    failHere("W5508", {
      what: "the first argument of intrinsic(…)",
      wanted: "its name",
      got: describe(name),
      instead: 'write `intrinsic("wmma_sync", …)`',
    });
  const args = regionsOf("intrinsic(…)", given).map((r) => r.region);
  for (const { ranges } of args) for (const r of ranges) for (const e of [r.min, r.extent]) tracing.use(e);
  tracing.emit({ kind: "intrinsic", name, args, span: tracing.here() });
  for (const { buffer } of args) tracing.writes(buffer);
});

/** What orders threads and asynchronous copies, and computes nothing: `effect("syncThreads")`. W5508. */
export const effect: (op: string, ...args: readonly number[]) => void = ownFunction(
  (op: string, ...given: readonly unknown[]) => {
    const tracing = currentTracing("effect(…)");
    if (typeof op !== "string" || op === "")
      failHere("W5508", {
        what: "the first argument of effect(…)",
        wanted: "its name",
        got: describe(op),
        instead: 'write `effect("syncThreads")`',
      });
    tracing.emit({
      kind: "effect",
      op,
      args: given.map((x) => tracing.use(whole(x, "an argument of effect(…)"))),
      span: tracing.here(),
    });
  },
);

/** `a / b` of integers, rounded down. */
export const floorDiv: (a: number, b: number) => number = ownFunction((a: number, b: number): number => {
  const operands: readonly unknown[] = [a, b];
  return operands.some(isSymbolic) ? (binary("floorDiv", a, b) as number) : Math.floor(a / b);
});
