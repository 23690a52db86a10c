/** Which block of a program is a product of two matrices, and how its operands lie. */

import type { Spans } from "../../base/diag/index.ts";
import { fail } from "../errors/index.ts";
import { readBuffers, writtenBuffers } from "../facts/touches.ts";
import type { Lines } from "../intrinsics/index.ts";
import { intOf } from "../ir/build.ts";
import { sameExpr } from "../ir/linear.ts";
import type { Axis, Block, Buffer, Expr, Load, Program, Var } from "../ir/types.ts";
import { blocksOf, isFor, pathTo } from "../ir/walk.ts";
import { reductionOf } from "../primitives/rfactor.ts";

/** A side of a product: where it is read, and how its lines lie: "row" is K last of A, and K first of B. */
export interface Operand {
  readonly buffer: Buffer;
  readonly lines: Lines;
}

/** C[i][j] (+)= A[i][k] · B[k][j], with A and B either way round, and a batch before all indices or none. */
export interface Contraction {
  readonly block: Block;
  readonly a: Operand;
  readonly b: Operand;
  readonly c: Buffer;
  /** A stands left of the `*`. */
  readonly aIsLeft: boolean;
  /** The block adds to what C holds; else it begins with its init. */
  readonly adds: boolean;
  /** Blocks beside it: those that make what it reads, and those that take what it makes, in the order of the program. */
  readonly before: readonly Block[];
  readonly after: readonly Block[];
  /** Which axis of the block is which. */
  readonly axes: { readonly batch: number | undefined; readonly m: number; readonly n: number; readonly k: number };
  readonly shape: { readonly batch: number; readonly m: number; readonly n: number; readonly k: number };
}

const loadOf = (e: Expr): Load | undefined => (e.kind === "cast" ? loadOf(e.a) : e.kind === "load" ? e : undefined);

/** The two elements that a block multiplies and adds to another; undefined of any other block. */
export function factorsOf(block: Block): readonly [Load, Load] | undefined {
  const reduction = reductionOf(block);
  if (reduction?.op !== "+" || reduction.term.kind !== "binary" || reduction.term.op !== "*") return undefined;
  const [left, right] = [loadOf(reduction.term.a), loadOf(reduction.term.b)];
  return left && right && [left, right];
}

/** The blocks that make what a product reads, and those that take what it makes, step by step. */
function beside(
  blocks: readonly Block[],
  product: Block,
  bad: (why: string, block?: Block) => never,
): { readonly before: readonly Block[]; readonly after: readonly Block[] } {
  const before = reached(blocks, product, (x, from) => writtenBuffers(x).some((b) => readBuffers(from).includes(b)));
  const after = reached(blocks, product, (x, from) => readBuffers(x).some((b) => writtenBuffers(from).includes(b)));
  const other = blocks.find((x) => x !== product && before.includes(x) === after.includes(x));
  if (other)
    bad(
      `'${other.name}' ${before.includes(other) ? "both makes what the product reads and takes what it makes" : "has nothing to do with the product"}`,
      other,
    );
  return { before, after };
}
function reached(blocks: readonly Block[], product: Block, leads: (x: Block, from: Block) => boolean): readonly Block[] {
  const found = new Set([product]);
  for (const from of found) for (const x of blocks) if (leads(x, from)) found.add(x);
  found.delete(product);
  return blocks.filter((b) => found.has(b));
}

/** Refuses a product whose axes do not each have a loop of their own; a batch of one has none where that was taken away. */
function checkNest(program: Program, block: Block, batch: Axis | undefined, no: (why: string) => never): void {
  if (block.where) no("runs under a condition");
  const loops = (pathTo(program.body, (s) => s === block) ?? []).filter(isFor);
  for (const [i, axis] of block.axes.entries()) {
    const value = block.values[i];
    const loop = loops.find((l) => l.variable === value);
    if (!loop && axis === batch && value && intOf(value) === 0 && intOf(axis.extent) === 1) continue;
    const name = `'${axis.variable.name}'`;
    if (!loop || block.values.filter((v) => v === value).length > 1)
      no(`has no loop for its axis ${name} alone, from 0 to its extent: split and fuse nothing before`);
    else if (loop.loop !== "serial") no(`has a loop for its axis ${name} that is ${loop.loop} already: bind nothing before`);
    else if (!sameExpr(loop.extent, axis.extent)) no(`has a loop for its axis ${name} that is not of its extent`);
  }
}

/** The contraction of a program. W5610. */
export function contractionOf(program: Program, at: Spans): Contraction {
  const blocks = blocksOf(program);
  const bad = (why: string, block?: Block): never =>
    fail("W5610", { program: program.name, why }, [...at, ...(block?.span ? [block.span] : [])]);
  const found = blocks.filter((b) => b.axes.some((a) => a.type === "reduce"));
  const [block] = found;
  if (!block) return bad("none of its blocks sums anything up");
  if (found.length > 1) bad(`${found.length} of its blocks sum something up`, found[1]);
  const no = (why: string): never => bad(`'${block.name}' ${why}`, block);
  const factors = factorsOf(block);
  const term = reductionOf(block)?.term;
  if (term?.kind === "cast" && term.a.kind === "binary" && term.a.op === "*")
    return no(
      `multiplies in ${term.a.dtype} and rounds before it adds in ${term.dtype}; convert each operand: \`${term.dtype}(A[vi][vk]) * ${term.dtype}(B[vk][vj])\``,
    );
  if (!factors || block.body.kind !== "store") return no("does not add products of two elements to those of a buffer");
  const store = block.body;
  const [left, right] = factors;
  if (left.buffer === right.buffer) return no(`takes both sides of the product from ${left.buffer.name}`);
  const axisOf = (e: Expr | undefined): Axis | undefined => block.axes.find((a) => a.variable === e);
  const target = store.indices.map(axisOf);
  const sums = block.axes.filter((a) => a.type === "reduce");
  const [k] = sums;
  if (sums.length !== 1 || !k) return no(`has ${sums.length} axes that it sums up, and a product of matrices has one`);
  const [n, m, batch] = target.toReversed();
  if (!m || !n || target.length > 3 || target.includes(undefined) || new Set(target).size < target.length)
    return no(`does not store at [i, j] or [batch, i, j], axes of its own`);
  if (block.axes.length !== target.length + 1) return no("has axes that its result does not have");
  const lines = (l: Load, row: Axis): "first" | "last" | undefined => {
    const [x, y] = l.indices.slice(batch ? 1 : 0).map(axisOf);
    if (l.indices.length !== target.length || (batch && axisOf(l.indices[0]) !== batch)) return undefined;
    return x === row && y === k ? "last" : x === k && y === row ? "first" : undefined;
  };
  const aIsLeft = lines(left, m) !== undefined;
  const [a, b] = aIsLeft ? [left, right] : [right, left];
  const [kOfA, kOfB] = [lines(a, m), lines(b, n)];
  if (!kOfA || !kOfB) return no("does not read one operand at [i, k] or [k, i], and the other at [k, j] or [j, k]");
  checkNest(program, block, batch, no);
  const extent = (axis: Axis | undefined): number =>
    axis ? (intOf(axis.extent) ?? no(`has an axis whose extent only the launch knows: '${axis.variable.name}'`)) : 1;
  const { before, after } = beside(blocks, block, bad);
  const at3 = (axis: Axis): number => block.axes.indexOf(axis);
  return {
    block,
    a: { buffer: a.buffer, lines: kOfA === "last" ? "row" : "col" },
    b: { buffer: b.buffer, lines: kOfB === "first" ? "row" : "col" },
    c: store.buffer,
    aIsLeft,
    before,
    after,
    adds: block.init === undefined,
    axes: { batch: batch && at3(batch), m: at3(m), n: at3(n), k: at3(k) },
    shape: { batch: extent(batch), m: extent(m), n: extent(n), k: extent(k) },
  };
}

/** The variable of the loop that an axis takes its value from; undefined where it is more than a loop. */
export function loopOfAxis(block: Block, axis: number): Var | undefined {
  const value = block.values[axis];
  return value?.kind === "var" ? value : undefined;
}
