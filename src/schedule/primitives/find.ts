/** Finding loops and blocks in a program, what is known where they stand, and refusing steps. */

import { nearest, type Span, type Spans } from "../../base/diag/index.ts";
import { type ErrorCode, fail } from "../errors/index.ts";
import { int, less } from "../ir/build.ts";
import { knownIn } from "../ir/known.ts";
import { type Bounds, bounded, type Known, provably, simplify } from "../ir/simplify.ts";
import type { Block, For, Program, Stmt, Var } from "../ir/types.ts";
import { blocksOf, isBlock, isFor, pathTo, replaceStmt } from "../ir/walk.ts";

/** One step while it is applied: what it is called in errors, and where the author wrote it. */
export interface Step {
  readonly name: string;
  readonly at: Spans;
}

/** What a step gives: the program after it, and the names of the blocks that the author goes on with. */
export interface Blocks {
  readonly program: Program;
  readonly blocks: readonly string[];
}

/** Refuses a step: at the author's line of the step, then at those lines of the program that are the reason. */
export function refuse<C extends ErrorCode>(
  step: Step,
  code: C,
  args: Parameters<typeof fail<C>>[1],
  ...reasons: (Span | undefined)[]
): never {
  return fail(code, args, [...step.at, ...reasons.flatMap((s) => (s ? [s] : []))]);
}
export const wouldChange = (step: Step, why: string, ...reasons: (Span | undefined)[]): never =>
  refuse(step, "W5524", { step: step.name, why }, ...reasons);

/** A loop and the statements around it, the outermost first. */
export interface LoopAt {
  readonly loop: For;
  readonly around: readonly Stmt[];
}
export function loopAt(p: Program, variable: Var, step: Step): LoopAt {
  const path = pathTo(p.body, (s) => s.kind === "for" && s.variable === variable);
  const loop = path?.at(-1);
  if (!path || !loop || !isFor(loop)) return refuse(step, "W5522", { step: step.name, loop: variable.name });
  return { loop, around: path.slice(0, -1) };
}

export interface BlockAt {
  readonly block: Block;
  readonly around: readonly Stmt[];
}
export function blockAt(p: Program, name: string, step: Step): BlockAt {
  const path = pathTo(p.body, (s) => s.kind === "block" && s.name === name);
  const block = path?.at(-1);
  if (!path || !block || !isBlock(block)) {
    const names = blocksOf(p).map((b) => b.name);
    return refuse(step, "W5520", { what: "block", name, nearest: nearest(name, names) ?? undefined });
  }
  return { block, around: path.slice(0, -1) };
}

/** The loops right around a block, the outermost first, up to the block around them. */
export function loopsAround(around: readonly Stmt[]): readonly For[] {
  const last = around.findLastIndex(isBlock);
  return around.slice(last + 1).filter(isFor);
}

/** The program with one statement replaced, and what is known of axes and conditions written down anew. */
export const withStmt = (p: Program, old: Stmt, by: Stmt | undefined): Program =>
  tidied({ ...p, body: replaceStmt(p.body, old, by) });

/** The program with the values and conditions of its blocks as short as what is known of the loops around allows. */
export function tidied(p: Program): Program {
  const body = tidy(p.body, knownIn(p, []));
  return body === p.body ? p : { ...p, body };
}

function tidy(s: Stmt, known: Known): Stmt {
  if (s.kind === "for") {
    const body = tidy(s.body, new Map([...known, [s.variable, bounded(s.extent)]]));
    return body === s.body ? s : { ...s, body };
  }
  if (s.kind === "block") {
    const inside = new Map([...known, ...s.axes.map((a): [Var, Bounds] => [a.variable, bounded(a.extent)])]);
    const where = s.where && simplify(s.where, known);
    // A loop that drives an axis alone is named, one of a single iteration, too: steps ask for the loop of an axis.
    const values = s.values.map((v) => (v.kind === "var" ? v : simplify(v, known)));
    // An init that no instance reaches, as its reduction never stands at 0 here, is none.
    const starts = !s.axes.some((a, i) => a.type === "reduce" && provably(less(int(0), values[i] ?? int(0)), known));
    return {
      ...s,
      values,
      where: where?.kind === "const" && where.value === true ? undefined : where,
      init: starts ? s.init && tidy(s.init, inside) : undefined,
      body: tidy(s.body, inside),
    };
  }
  if (s.kind === "seq") return { ...s, body: s.body.map((x) => tidy(x, known)) };
  if (s.kind === "if") return { ...s, yes: tidy(s.yes, known), no: s.no && tidy(s.no, known) };
  return s;
}

/** The outermost blocks in a statement. */
export function* outermostBlocks(s: Stmt): Generator<Block> {
  if (s.kind === "block") yield s;
  else if (s.kind === "for") yield* outermostBlocks(s.body);
  else if (s.kind === "seq") for (const x of s.body) yield* outermostBlocks(x);
  else if (s.kind === "if") {
    yield* outermostBlocks(s.yes);
    if (s.no) yield* outermostBlocks(s.no);
  }
}

/** The statement with each of its outermost blocks changed, and what stands beside blocks given to `other`. */
export function mapOutermost(s: Stmt, change: (b: Block) => Stmt, other: (s: Stmt) => Stmt): Stmt {
  switch (s.kind) {
    case "block":
      return change(s);
    case "for":
      return { ...s, body: mapOutermost(s.body, change, other) };
    case "seq":
      return { ...s, body: s.body.map((x) => mapOutermost(x, change, other)) };
    case "if":
      return { ...s, yes: mapOutermost(s.yes, change, other), no: s.no && mapOutermost(s.no, change, other) };
    default:
      return other(s);
  }
}
