/** Steps that change loops and no block: split, fuse, reorder, and how a loop runs. After the primitives of TensorIR. */

import type { Span } from "../../base/diag/index.ts";
import { conflictIn } from "../facts/order.ts";
import { insteadOf, isLonger, unseenIn, whyLonger, whyUnseen } from "../flat/visible.ts";
import { add, both, floorDiv, int, intOf, less, mod, mul, variable } from "../ir/build.ts";
import { knownIn } from "../ir/known.ts";
import { provably, simplify } from "../ir/simplify.ts";
import type { Annotations, Block, Expr, For, LoopKind, Program, Stmt, ThreadTag, Var } from "../ir/types.ts";
import { expressions, isFor, mentions, statements, substitute, within } from "../ir/walk.ts";
import { blockAt, type LoopAt, loopAt, mapOutermost, outermostBlocks, refuse, type Step, withStmt, wouldChange } from "./find.ts";

/** What a step gives: the program after it, and the variables of the loops that it made. */
export interface Loops {
  readonly program: Program;
  readonly loops: readonly Var[];
}

/** Runs the statement only where `condition` holds: its blocks say so themselves. */
export const onlyWhere = (s: Stmt, condition: Expr): Stmt =>
  mapOutermost(
    s,
    (b) => ({ ...b, where: both(b.where, condition) }),
    (x) => (x.kind === "effect" ? x : { kind: "if", condition, yes: x, span: "span" in x ? x.span : undefined }),
  );

/** The extent of each new loop, the outermost first; the open one takes what the others leave. */
function partsOf(loop: For, factors: readonly (number | null)[], step: Step): readonly Expr[] {
  const bad = (why: string): never => refuse(step, "W5525", { step: step.name, why }, loop.span);
  if (factors.length === 0) bad("there is no factor");
  const wrong = factors.find((f) => f !== null && (!Number.isSafeInteger(f) || f < 1));
  if (wrong !== undefined) bad(`a factor is a whole number from 1 on, or null, not ${wrong}`);
  if (factors.filter((f) => f === null).length > 1) bad("only one factor may be left open");
  const given = factors.reduce<number>((all, f) => all * (f ?? 1), 1);
  const extent = intOf(loop.extent);
  const open = factors.indexOf(null);
  if (open < 0) {
    if (extent === undefined)
      bad(`the extent of '${loop.variable.name}' is known at the launch alone, so one factor has to be left open`);
    else if (given < extent) bad(`the factors give ${given} iterations, and '${loop.variable.name}' has ${extent}`);
  }
  return factors.map((f) => (f === null ? simplify(floorDiv(add(loop.extent, int(given - 1)), int(given)), new Map()) : int(f)));
}

/**
 * `for i of grid(e)` becomes one loop in another for each factor, `i` their number. Where the factors do not divide the extent, what
 * stands inside runs only where `i < e`.
 */
export function split(p: Program, loop: Var, factors: readonly (number | null)[], step: Step): Loops {
  const { loop: old, around } = loopAt(p, loop, step);
  if (old.loop !== "serial")
    refuse(
      step,
      "W5527",
      { step: step.name, why: `'${loop.name}' is ${kindOf(old.loop)}, and only serial loops are split` },
      old.span,
    );
  const extents = partsOf(old, factors, step);
  const loops = extents.map((_, i) => variable(`${loop.name}_${i}`));
  const value = loops.reduce<Expr>((sum, v, i) => add(mul(sum, extents[i] ?? int(1)), v), int(0));
  let body = substitute(old.body, new Map([[loop, value]]));
  const known = new Map([
    ...knownIn(p, around),
    ...loops.map((v, i) => [v, { min: int(0), max: add(extents[i] ?? int(1), int(-1)) }] as const),
  ]);
  const inside = less(value, old.extent);
  if (!provably(inside, known)) body = onlyWhere(body, simplify(inside, known));
  const made = loops.reduceRight<Stmt>(
    (inner, v, i) => ({
      kind: "for",
      variable: v,
      extent: extents[i] ?? int(1),
      loop: "serial",
      annotations: i === 0 ? old.annotations : {},
      body: inner,
      span: old.span,
    }),
    body,
  );
  return { program: withStmt(p, old, made), loops };
}

/** Loops that stand directly inside one another, in the order of the program, the outermost first. */
function nested(p: Program, loops: readonly Var[], step: Step): readonly LoopAt[] {
  const found = loops.map((v) => loopAt(p, v, step));
  if (new Set(loops).size < loops.length) refuse(step, "W5523", { step: step.name, why: "a loop is named twice" });
  return found.toSorted((a, b) => a.around.length - b.around.length);
}

/** The nest from the outermost of the loops to the innermost; refused where something stands beside a loop of it. */
function chain(found: readonly LoopAt[], step: Step): readonly For[] {
  const [outer] = found;
  const wanted = new Set(found.map((f) => f.loop));
  const out: For[] = [];
  let current: Stmt | undefined = outer?.loop;
  while (current && isFor(current)) {
    out.push(current);
    wanted.delete(current);
    if (wanted.size === 0) return out;
    current = current.body;
  }
  const [missing] = wanted;
  const beside = current?.kind === "block" ? `the block '${current.name}'` : "other statements";
  return refuse(
    step,
    "W5523",
    {
      step: step.name,
      why: `'${missing?.variable.name}' is not directly inside '${out.at(-1)?.variable.name}': ${beside} stand${current?.kind === "block" ? "s" : ""} between`,
    },
    missing?.span,
  );
}

/** Neighbouring loops of a nest become one, whose variable counts through all of them. */
export function fuse(p: Program, loops: readonly Var[], step: Step): Loops {
  if (loops.length < 2) refuse(step, "W5523", { step: step.name, why: "it takes two loops or more" });
  const found = nested(p, loops, step);
  found.forEach((f, i) => {
    if (f.loop.variable !== loops[i])
      refuse(step, "W5523", { step: step.name, why: "the loops are not given from the outside in" }, f.loop.span);
  });
  const nest = chain(found, step);
  if (nest.length !== loops.length)
    refuse(
      step,
      "W5523",
      { step: step.name, why: `'${nest.find((l) => !loops.includes(l.variable))?.variable.name}' stands between the loops` },
      nest[0]?.span,
    );
  const kind = nest.find((l) => l.loop !== "serial");
  if (kind)
    refuse(
      step,
      "W5527",
      { step: step.name, why: `'${kind.variable.name}' is ${kindOf(kind.loop)}, and only serial loops are fused` },
      kind.span,
    );
  const depends = nest.find((l) => mentions(l.extent, new Set(loops)));
  if (depends)
    refuse(
      step,
      "W5525",
      { step: step.name, why: `the extent of '${depends.variable.name}' depends on the loops around it` },
      depends.span,
    );
  const fused = variable(`${loops.map((v) => v.name).join("_")}_fused`);
  const by = new Map<Var, Expr>();
  let rest: Expr = fused;
  for (const l of nest.toReversed().slice(0, -1)) {
    by.set(l.variable, mod(rest, l.extent));
    rest = floorDiv(rest, l.extent);
  }
  const [outer] = nest;
  const inner = nest.at(-1);
  if (!outer || !inner) return { program: p, loops: [] };
  by.set(outer.variable, rest);
  const extent = nest.reduce<Expr>((all, l) => mul(all, l.extent), int(1));
  const made: For = {
    ...outer,
    variable: fused,
    extent,
    annotations: Object.assign({}, ...nest.map((l) => l.annotations)),
    body: substitute(inner.body, by),
  };
  return { program: withStmt(p, outer, made), loops: [fused] };
}

/** The axes of the blocks in a loop's body that depend on a loop variable. */
export function axesOn(b: Block, v: Var): { readonly spatial: boolean; readonly reduce: boolean } {
  const on = b.axes.filter((_, i) => mentions(b.values[i] ?? int(0), new Set([v])));
  return { spatial: on.some((a) => a.type === "spatial"), reduce: on.some((a) => a.type === "reduce") };
}

/** Changes in which order the loops of a nest stand. Loops that are not named keep their places. */
export function reorder(p: Program, loops: readonly Var[], step: Step): Loops {
  const found = nested(p, loops, step);
  const nest = chain(found, step);
  const order = new Map(nest.map((l) => [l.variable, l]));
  let next = 0;
  const arranged = nest.map((l) => (loops.includes(l.variable) ? (order.get(loops[next++] ?? l.variable) ?? l) : l));
  arranged.forEach((l, i) => {
    const outside = new Set(arranged.slice(i).map((x) => x.variable));
    if (mentions(l.extent, outside))
      refuse(
        step,
        "W5525",
        { step: step.name, why: `the extent of '${l.variable.name}' depends on a loop that would stand inside it` },
        l.span,
      );
  });
  const [outer] = nest;
  const inner = nest.at(-1);
  if (!outer || !inner) return { program: p, loops };
  checkAnyOrder(p, found, outer, inner, step, arranged);
  const made = arranged.reduceRight<Stmt>((body, l) => ({ ...l, body }), inner.body);
  return { program: withStmt(p, outer, made), loops };
}

/** Refuses a change of order of iterations between which something is carried over: to that of `arranged`, or to any order. */
export function checkAnyOrder(
  p: Program,
  found: readonly LoopAt[],
  outer: For,
  inner: For,
  step: Step,
  arranged?: readonly For[],
): void {
  const blocks = [...outermostBlocks(inner.body)];
  const beside = [...statements(inner.body)].find(
    (s) => (s.kind === "store" || s.kind === "intrinsic") && !blocks.some((b) => [...statements(b)].includes(s)),
  );
  if (beside)
    wouldChange(
      step,
      "a statement outside of any block does not say which of its iterations may change places",
      "span" in beside ? beside.span : undefined,
    );
  for (const b of blocks) checkAxesApart(b, found, step);
  const nest: For[] = [];
  for (let s: Stmt = outer; isFor(s); s = s.body) {
    nest.push(s);
    if (s === inner) break;
  }
  checkBetween(p, found[0]?.around ?? [], nest, arranged, step);
}

/** An axis must not mix loops in a way that a reduction and a spatial axis take from the same one. */
function checkAxesApart(b: Block, found: readonly LoopAt[], step: Step): void {
  for (const { loop } of found) {
    const on = axesOn(b, loop.variable);
    if (on.spatial && on.reduce)
      wouldChange(step, `spatial and reduction axes of '${b.name}' both depend on '${loop.variable.name}'`, b.span);
  }
}

/** Refuses another order of iterations that touch the same elements by different blocks or statements, one of them writing. */
function checkBetween(
  p: Program,
  around: readonly Stmt[],
  nest: readonly For[],
  arranged: readonly For[] | undefined,
  step: Step,
): void {
  const found = conflictIn(p, around, nest, arranged);
  if (!found) return;
  const { buffer, first, second, loops } = found;
  const name = ({ block }: { readonly block: Block | undefined }): string => (block ? `'${block.name}'` : "a statement");
  const spanOf = ({ by }: { readonly by: Stmt }): Span | undefined => ("span" in by ? by.span : undefined);
  const does = ({ writes }: { readonly writes: boolean }): string => (writes ? "writes" : "reads");
  const between = loops.map((l) => `'${l.variable.name}'`).join(" and ");
  const why =
    first.block === second.block
      ? `${name(first)} touches the same elements of ${buffer.name} at different places in different iterations of ${between}, which would change places`
      : `${name(second)} ${does(second)} elements of ${buffer.name} that ${name(first)} ${does(first)} in other iterations of ${between}, which would change places`;
  wouldChange(step, why, spanOf(first), spanOf(second));
}

const kindOf = (kind: LoopKind): string =>
  kind === "serial" ? "serial" : kind === "unroll" ? "unrolled" : kind === "vectorize" ? "vectorised" : `bound to ${kind}`;

/** Refuses a loop whose iterations may not run at the same time. */
function checkParallel({ loop }: LoopAt, step: Step): void {
  for (const b of outermostBlocks(loop.body)) {
    if (axesOn(b, loop.variable).reduce)
      wouldChange(
        step,
        `'${loop.variable.name}' runs a reduction of '${b.name}', whose iterations add to the same elements`,
        b.span,
        loop.span,
      );
  }
}

const setLoop = (p: Program, loop: For, change: Partial<For>): Program => withStmt(p, loop, { ...loop, ...change });

/**
 * A loop in another one of the same thread index: each thread runs its own part of what every iteration of the outer loop does. So that has to
 * be the same in all of them, and its result has to be where all threads see it, or where the thread that has made it reads it.
 */
function checkShared({ loop }: LoopAt, outer: For, tag: ThreadTag, step: Step): void {
  const bad = (why: string, at: Span | undefined): never => refuse(step, "W5527", { step: step.name, why }, at, outer.span);
  if (isLonger(loop, outer)) bad(whyLonger(loop, outer), loop.span);
  for (const e of expressions(loop))
    if (e === outer.variable)
      bad(
        `'${loop.variable.name}' does something else in each iteration of '${outer.variable.name}', which is bound to ${tag}`,
        loop.span,
      );
  for (const s of statements(loop.body)) {
    if (s.kind !== "store") continue;
    if (!["shared", "global", "local"].includes(s.buffer.scope))
      bad(`${s.buffer.name} is in ${s.buffer.scope}, which the other iterations of '${outer.variable.name}' do not see`, s.span);
    if ([...within(s.value)].some((e) => e.kind === "load" && e.buffer === s.buffer))
      bad(`${s.buffer.name} is added to in each iteration of '${outer.variable.name}', which is bound to ${tag}`, s.span);
  }
}

const bindAlike =
  "bind the loops of who writes and of who reads in the same way, or move the one under the loop of the other first (`computeAt`, `reverseComputeAt`)";

/**
 * Lets a block or thread of the launch run each iteration. Inside a loop of the same thread index it shares out among the threads what
 * each of them would do: cooperative loads.
 */
export function bind(p: Program, loop: Var, tag: ThreadTag, step: Step): Loops {
  const found = loopAt(p, loop, step);
  const { loop: old, around } = found;
  const bad = (why: string): never => refuse(step, "W5527", { step: step.name, why }, old.span);
  if (old.loop !== "serial") bad(`'${loop.name}' is ${kindOf(old.loop)} already`);
  for (const outer of around) if (isFor(outer) && outer.loop === tag) checkShared(found, outer, tag, step);
  const inside = [...statements(old.body)].find((s) => isFor(s) && s.loop === tag);
  if (inside && isFor(inside)) checkShared({ loop: inside, around: [...around, old] }, old, tag, step);
  checkParallel(found, step);
  const program = setLoop(p, old, { loop: tag });
  const unseen = unseenIn(program, loop);
  if (unseen)
    refuse(step, "W5527", { step: step.name, why: whyUnseen(unseen), instead: insteadOf(unseen) ?? bindAlike }, old.span);
  return { program, loops: [loop] };
}

/** Makes one access of neighbours of what the iterations access one by one. */
export function vectorize(p: Program, loop: Var, step: Step): Loops {
  const found = loopAt(p, loop, step);
  const bad = (why: string): never => refuse(step, "W5525", { step: step.name, why }, found.loop.span);
  if (found.loop.loop !== "serial")
    refuse(step, "W5527", { step: step.name, why: `'${loop.name}' is ${kindOf(found.loop.loop)} already` }, found.loop.span);
  const extent = intOf(found.loop.extent);
  if (extent === undefined || ![1, 2, 4, 8, 16].includes(extent))
    bad(`'${loop.name}' has ${extent ?? "a number of"} iterations, and an access takes 2, 4, 8 or 16 elements`);
  const nestedLoop = [...statements(found.loop.body)].find(isFor);
  if (nestedLoop) bad(`the loop '${nestedLoop.variable.name}' stands inside '${loop.name}'`);
  checkParallel(found, step);
  return { program: setLoop(p, found.loop, { loop: "vectorize" }), loops: [loop] };
}

/** Writes the iterations out one after the other. */
export function unroll(p: Program, loop: Var, step: Step): Loops {
  const { loop: old } = loopAt(p, loop, step);
  if (old.loop !== "serial")
    refuse(step, "W5527", { step: step.name, why: `'${loop.name}' is ${kindOf(old.loop)} already` }, old.span);
  if (intOf(old.extent) === undefined)
    refuse(step, "W5525", { step: step.name, why: `only the launch knows how many iterations '${loop.name}' has` }, old.span);
  return { program: setLoop(p, old, { loop: "unroll" }), loops: [loop] };
}

/** Writes something down at a loop, for later passes and for the reader. */
export function annotateLoop(p: Program, loop: Var, annotations: Annotations, step: Step): Loops {
  const { loop: old } = loopAt(p, loop, step);
  return { program: setLoop(p, old, { annotations: { ...old.annotations, ...annotations } }), loops: [loop] };
}
/** Writes something down at a block, for later passes and for the reader: `{ async: true }` lets the hardware copy while threads go on. */
export function annotateBlock(p: Program, name: string, annotations: Annotations, step: Step): Loops {
  const { block } = blockAt(p, name, step);
  return { program: withStmt(p, block, { ...block, annotations: { ...block.annotations, ...annotations } }), loops: [] };
}
