/** Putting a block's computation into the blocks that read it, or an elementwise reader into the block it reads. */

import { holds, partRead, surelyWritten } from "../facts/depends.ts";
import { impliedByExtents, placed, pointsOf } from "../facts/points.ts";
import { reads, writes } from "../facts/touches.ts";
import { binary, both, cast, int, intOf, less } from "../ir/build.ts";
import { knownIn } from "../ir/known.ts";
import { sameExpr } from "../ir/linear.ts";
import { exprText } from "../ir/print-expr.ts";
import { provably } from "../ir/simplify.ts";
import type { Block, Buffer, Expr, Load, Program, Stmt, Store, Var } from "../ir/types.ts";
import {
  blocksOf,
  expressions,
  isBlock,
  mapExpr,
  mapStmt,
  mentions,
  pathTo,
  replaceStmt,
  statements,
  substituteIn,
  within,
} from "../ir/walk.ts";
import type { Blocks } from "./cache.ts";
import { type BlockAt, blockAt, refuse, type Step, tidied, wouldChange } from "./find.ts";

const not = (step: Step, block: Block, why: string, ...more: Block[]): never =>
  refuse(step, "W5540", { step: step.name, block: block.name, why }, block.span, ...more.map((b) => b.span));

/** The one store that a block consists of. */
function storeOf(p: Program, block: Block, step: Step): Store {
  const { body } = block;
  if (block.init || block.axes.some((a) => a.type === "reduce")) not(step, block, "it is a reduction");
  if (body.kind !== "store") return not(step, block, "it is more than one store");
  const axes = new Set(block.axes.map((a) => a.variable));
  for (const e of [...body.indices, body.value])
    for (const x of within(e))
      if (x.kind === "var" && !axes.has(x) && !p.sizes.includes(x))
        not(step, block, `it depends on '${x.name}', which is no axis of it`);
  return body;
}

/** Which axis each index of an access is; undefined where an index is something else, or an axis stands twice. */
function axesOf(block: Block, indices: readonly Expr[]): readonly Var[] | undefined {
  const own = block.axes.map((a) => a.variable);
  const found = indices.map((e) => own.find((v) => v === e));
  const all = found.filter((v) => v !== undefined);
  return all.length === indices.length && new Set(all).size === all.length ? all : undefined;
}

function onlyOwnBuffer(p: Program, b: Buffer, block: Block, step: Step): void {
  if (p.params.includes(b)) not(step, block, `it writes ${b.name}, which is a result of the program`);
}

const blocksTouching = (p: Program, test: (s: Stmt) => boolean, except: Block): readonly Stmt[] =>
  [...statements(p.body)].filter(
    (s) =>
      (s.kind === "store" || s.kind === "intrinsic" || s.kind === "effect") && ![...statements(except)].includes(s) && test(s),
  );

function before(p: Program, a: Stmt, b: Stmt): boolean {
  for (const s of statements(p.body)) {
    if (s === a) return true;
    if (s === b) return false;
  }
  return false;
}

/** The statements around both, the outermost first. */
function shared(a: readonly Stmt[], b: readonly Stmt[]): readonly Stmt[] {
  const end = a.findIndex((s, i) => b[i] !== s);
  return end < 0 ? a : a.slice(0, end);
}
const hasLoop = (all: readonly Stmt[]): boolean => all.some((s) => s.kind === "for");

/** The statement that stands next inside of what both share, with nothing in it but the way to one block. */
function alone(path: readonly Stmt[], depth: number): Stmt | undefined {
  const way = path.slice(depth);
  return way.toReversed().reduce<Stmt | undefined>((inner, s) => {
    if (!inner) return s;
    if (s.kind === "for") return { ...s, body: inner };
    if (s.kind === "block") return { ...s, init: undefined, body: inner };
    if (s.kind === "if") return { ...s, yes: inner, no: undefined };
    return inner;
  }, undefined);
}

/** Refuses a reader that, inside loops it shares with the writer, reads what another iteration wrote. */
function checkSameIteration(
  p: Program,
  b: Buffer,
  writer: readonly Stmt[],
  reader: readonly Stmt[],
  step: Step,
  block: Block,
): void {
  const around = shared(writer, reader);
  if (!hasLoop(around)) return;
  const known = knownIn(p, around);
  const [w, r] = [alone(writer, around.length), alone(reader, around.length)];
  const read = r && partRead(r, b, known);
  if (w && read && !surelyWritten(w, b, known).some((x) => holds(x, read, known)))
    wouldChange(step, `${b.name} is read where another iteration of the loops around may have written it`, block.span);
}

/** Puts what a block computes in the place of each element that others read of it, and takes the block out. */
export function computeInline(p: Program, name: string, step: Step): Blocks {
  const at = blockAt(p, name, step);
  const { block } = at;
  const store = storeOf(p, block, step);
  const b = store.buffer;
  onlyOwnBuffer(p, b, block, step);
  const axes = axesOf(block, store.indices);
  if (!axes || block.axes.some((a) => !axes.includes(a.variable) && intOf(a.extent) !== 1))
    return not(step, block, `its axes do not follow from the place in ${b.name} that it writes`);
  if (reads(block, b)) not(step, block, `it reads ${b.name} itself`);
  checkWhere(p, at, step);
  const other = blocksTouching(p, (s) => writes(s, b), block)[0];
  if (other) wouldChange(step, `${b.name} is written elsewhere, too`, block.span, "span" in other ? other.span : undefined);
  const inIntrinsic = blocksTouching(p, (s) => s.kind === "intrinsic" && reads(s, b), block)[0];
  if (inIntrinsic) not(step, block, `an intrinsic takes ${b.name} as a whole`);
  const readers = readersOf(p, b);
  if (readers.length === 0) not(step, block, `nothing reads ${b.name}`);
  const path = [...at.around, block];
  for (const reader of readers) {
    if (!before(p, block, reader.at(-1) ?? block)) wouldChange(step, `${b.name} is read before '${name}' writes it`, block.span);
    checkInputs(p, b, store, path, reader, step, block);
  }
  const value = cast(b.dtype, store.value);
  const spare = block.axes.filter((a) => !axes.includes(a.variable)).map((a): [Var, Expr] => [a.variable, int(0)]);
  const put = (e: Expr): Expr =>
    mapExpr(e, (x) =>
      x.kind === "load" && x.buffer === b
        ? substituteIn(value, new Map([...spare, ...axes.map((v, d): [Var, Expr] => [v, x.indices[d] ?? int(0)])]))
        : x,
    );
  const body = mapStmt(replaceStmt(p.body, block, undefined), { expr: put });
  return { program: tidied({ ...p, buffers: p.buffers.filter((x) => x !== b), body }), blocks: [] };
}

/** The ways to all statements that read a buffer. */
function readersOf(p: Program, b: Buffer): readonly (readonly Stmt[])[] {
  const leaves = [...statements(p.body)].filter((s) => {
    const shell = s.kind === "for" ? { ...s, body: none } : s.kind === "if" ? { ...s, yes: none, no: undefined } : s;
    const block = shell.kind === "block" ? { ...shell, body: none, init: undefined } : shell;
    return block.kind !== "seq" && reads(block, b);
  });
  return leaves.flatMap((s) => pathTo(p.body, (x) => x === s) ?? []).length > 0
    ? leaves.map((s) => pathTo(p.body, (x) => x === s) ?? [])
    : [];
}
const none: Stmt = { kind: "seq", body: [] };

/** A condition may only take away what lies outside of the axes: elements inside of them are all written. */
function checkWhere(p: Program, { block, around }: BlockAt, step: Step): void {
  const at = placed(block, around);
  const extents = block.axes.map((a) => a.extent);
  const known = knownIn(p, around);
  if (!at?.conditions.every((c) => impliedByExtents(c, at.values, extents, known))) not(step, block, "it runs under a condition");
}

/** What the block reads must be the same where its reader runs: nothing writes it in between. */
function checkInputs(
  p: Program,
  b: Buffer,
  store: Store,
  path: readonly Stmt[],
  reader: readonly Stmt[],
  step: Step,
  block: Block,
): void {
  const inputs = new Set([...expressions(store)].flatMap((e) => (e.kind === "load" ? [e.buffer] : [])));
  const last = reader.at(-1);
  for (const s of statements(p.body)) {
    if (s.kind !== "store" && s.kind !== "intrinsic") continue;
    const input = [...inputs].find((x) => writes(s, x));
    if (!input) continue;
    const way = pathTo(p.body, (x) => x === s) ?? [];
    const inLoop = hasLoop(shared(way, path)) || hasLoop(shared(way, reader));
    if (before(p, block, s) && (inLoop || (last && before(p, s, last)) || s === last))
      wouldChange(step, `${input.name}, which '${block.name}' reads, is written before ${b.name} is read`, block.span, s.span);
    if (hasLoop(shared(way, path).filter((x) => !reader.includes(x))))
      wouldChange(
        step,
        `${input.name}, which '${block.name}' reads, is written anew in a loop outside of which ${b.name} is read`,
        block.span,
        s.span,
      );
    if (inLoop) checkSameIteration(p, b, path, reader, step, block);
    if (inLoop && hasLoop(shared(way, reader)) && shared(way, reader).length > shared(path, reader).length)
      wouldChange(
        step,
        `${input.name}, which '${block.name}' reads, is written in a loop where ${b.name} is read`,
        block.span,
        s.span,
      );
  }
}

/** Puts an elementwise reader into the one block that makes what it reads. */
export function reverseComputeInline(p: Program, name: string, step: Step): Blocks {
  const at = blockAt(p, name, step);
  const { block } = at;
  const store = storeOf(p, block, step);
  const producer = producerOf(p, at, store, step);
  const made = storeOf(p, producer.block, step);
  const b = made.buffer;
  onlyOwnBuffer(p, b, producer.block, step);
  const axes = readAt(block, b, store, step);
  const where = takenWhere(p, at, made, axes, step);
  checkOrder(p, at, producer, store, made, step);
  const by = new Map(axes.map((v, d): [Var, Expr] => [v, made.indices[d] ?? int(0)]));
  const spare = block.axes.filter((a) => !axes.includes(a.variable)).map((a): [Var, Expr] => [a.variable, int(0)]);
  const all = new Map([...by, ...spare]);
  const value = cast(b.dtype, made.value);
  const put = (e: Expr): Expr => mapExpr(substituteIn(e, all), (x) => x);
  const stored: Store = {
    ...store,
    indices: store.indices.map(put),
    value: mapExpr(markLoads(store.value, b), (x) =>
      x.kind === "load" && x.buffer === b ? value : x.kind === "var" ? (all.get(x) ?? x) : x,
    ),
  };
  const changed: Block = { ...producer.block, where: both(producer.block.where, where), body: stored };
  const body = replaceStmt(replaceStmt(p.body, producer.block, changed), block, undefined);
  return { program: tidied({ ...p, buffers: p.buffers.filter((x) => x !== b), body }), blocks: [producer.block.name] };
}

/** Loads of the buffer without their indices, which are not asked for any more. */
const markLoads = (e: Expr, b: Buffer): Expr =>
  mapExpr(e, (x): Expr => (x.kind === "load" && x.buffer === b ? ({ ...x, indices: [] } satisfies Load) : x));

function producerOf(p: Program, { block, around }: BlockAt, store: Store, step: Step): BlockAt {
  const inputs = new Set([...within(store.value)].flatMap((e) => (e.kind === "load" ? [e.buffer] : [])));
  const makers = blocksOf(p).filter(
    (x) =>
      x !== block &&
      x.body.kind === "store" &&
      inputs.has(x.body.buffer) &&
      !around.includes(x) &&
      p.buffers.includes(x.body.buffer),
  );
  const [maker, second] = makers;
  const result = [...inputs].find(
    (b) => p.params.includes(b) && blocksOf(p).some((x) => x !== block && x.body.kind === "store" && x.body.buffer === b),
  );
  if (!maker && result)
    return not(step, block, `${result.name}, which it reads, is a result of the program and is stored whatever is made of it`);
  if (!maker) return not(step, block, "no block makes what it reads with one store");
  if (second) return not(step, block, `both '${maker.name}' and '${second.name}' make what it reads`, maker, second);
  return blockAt(p, maker.name, step);
}

/** The axes at which a block reads a buffer: the same ones wherever it does, one to each dimension. */
function readAt(block: Block, b: Buffer, store: Store, step: Step): readonly Var[] {
  const loads = [...within(store.value), ...store.indices.flatMap((i) => [...within(i)])].filter(
    (e): e is Load => e.kind === "load" && e.buffer === b,
  );
  const all = loads.map((l) => axesOf(block, l.indices));
  const [first] = all;
  const wrong = all.findIndex((a) => !a || a.some((v, d) => v !== first?.[d]));
  const other = loads[wrong];
  if (other)
    not(
      step,
      block,
      `it reads ${exprText(other)}, and each element of ${b.name} is taken at one place, that of the block's own axes`,
    );
  if (!first || all.some((a) => !a || a.some((v, d) => v !== first[d])))
    return not(step, block, `it does not read ${b.name} element by element, at the place of its own axes`);
  if (block.axes.some((a) => !first.includes(a.variable) && intOf(a.extent) !== 1))
    return not(step, block, `it reads each element of ${b.name} more than once`);
  if (store.indices.some((i) => [...within(i)].some((e) => e.kind === "load")))
    return not(step, block, "where it writes depends on what it reads");
  return first;
}

/**
 * Where the writer makes what the reader takes: the writer may make any element, and the reader takes those from 0 on up to the extents of
 * its axes. Undefined: everywhere.
 */
function takenWhere(p: Program, { block, around }: BlockAt, made: Store, axes: readonly Var[], step: Step): Expr | undefined {
  if (!pointsOf(p, block, around).covers) not(step, block, `it does not read every element of ${made.buffer.name}`);
  return axes.reduce<Expr | undefined>((all, v, d) => {
    const extent = block.axes.find((a) => a.variable === v)?.extent;
    const [of, index] = [made.buffer.shape[d], made.indices[d]];
    if (!extent || !of || !index) return not(step, block, `it does not read every element of ${made.buffer.name}`);
    return provably(binary(">=", extent, of), knownIn(p, [])) ? all : both(all, less(index, extent));
  }, undefined);
}

/** Between writing and reading, nothing else may touch what the reader writes, or write what it reads. */
function checkOrder(p: Program, at: BlockAt, producer: BlockAt, store: Store, made: Store, step: Step): void {
  const { block } = at;
  const b = made.buffer;
  const target = store.buffer;
  if (!before(p, producer.block, block)) wouldChange(step, `'${block.name}' stands before '${producer.block.name}'`, block.span);
  const other = blocksTouching(p, (s) => writes(s, b) || reads(s, b), block).find(
    (s) => ![...statements(producer.block)].includes(s),
  );
  const user = other && blocksOf(p).find((x) => [...statements(x)].includes(other));
  if (other)
    wouldChange(
      step,
      `${b.name} is used elsewhere, too${user ? `, by '${user.name}'` : ""}`,
      block.span,
      "span" in other ? other.span : undefined,
    );
  if (blocksOf(p).some((x) => x !== block && !isAround(at, x) && [x.where, ...x.values].some((e) => e && loads(e, b))))
    wouldChange(step, `${b.name} is used elsewhere, too`, block.span);
  const inputs = [...within(store.value)].flatMap((e) =>
    e.kind === "load" && e.buffer !== b && e.buffer !== target ? [e.buffer] : [],
  );
  const self = [...within(store.value)].filter((e): e is Load => e.kind === "load" && e.buffer === target);
  if (self.some((l) => l.indices.some((e, d) => !sameExpr(e, store.indices[d] ?? int(0)))))
    not(step, block, `it reads ${target.name} at other places than it writes`);
  if (self.length > 0 && !(axesOf(producer.block, made.indices) && pointsOf(p, producer.block, producer.around).once))
    not(step, block, `it adds to ${target.name}, and '${producer.block.name}' may run at a point twice`);
  if (!axesOf(block, store.indices) && store.indices.length > 0 && !injective(block, store))
    not(step, block, `it writes elements of ${target.name} more than once`);
  if (loadsOf(producer.block).has(target))
    wouldChange(step, `'${producer.block.name}' reads ${target.name}`, producer.block.span);
  const [first, last] = [
    [...producer.around, producer.block],
    [...at.around, block],
  ];
  checkSameIteration(p, b, first, last, step, block);
  const around = shared(first, last);
  const parent = around.at(-1);
  const [from, to] = [first[around.length], last[around.length]];
  if (parent?.kind !== "seq" || !from || !to) return;
  const between = parent.body.slice(parent.body.indexOf(from), parent.body.indexOf(to) + 1);
  const bad = between
    .flatMap((s) => [...statements(s)])
    .filter((s) => (s.kind === "store" || s.kind === "intrinsic") && s !== store && s !== made)
    .find((s) => writes(s, target) || reads(s, target) || inputs.some((i) => writes(s, i)));
  if (bad)
    wouldChange(
      step,
      `between the two, ${target.name} or what '${block.name}' reads is used`,
      block.span,
      "span" in bad ? bad.span : undefined,
    );
  if (inputs.some((i) => i === made.buffer || writes(made, i)))
    not(step, block, "it reads what the other block writes, elsewhere, too");
}
const isAround = (at: BlockAt, b: Block): boolean => at.around.filter(isBlock).includes(b);
const loads = (e: Expr, b: Buffer): boolean => [...within(e)].some((x) => x.kind === "load" && x.buffer === b);
const loadsOf = (b: Block): ReadonlySet<Buffer> =>
  new Set([...expressions(b)].flatMap((e) => (e.kind === "load" ? [e.buffer] : [])));
/** Whether each axis of more than one point stands in an index of its own. */
const injective = (block: Block, store: Store): boolean =>
  block.axes.every((a) => intOf(a.extent) === 1 || store.indices.some((i) => i === a.variable)) &&
  store.indices.every((i) => mentions(i, new Set(block.axes.map((a) => a.variable))) || i.kind === "const");
