/** Copies of buffers in another scope: a block reads or writes the copy, and a block of its own moves the elements. */

import { holds, surelyWritten } from "../facts/depends.ts";
import { readBuffers, reads, touchedBy, touchedByBlock, writes, writtenBuffers } from "../facts/touches.ts";
import { load, seq, variable } from "../ir/build.ts";
import { freshBlockName, freshBufferName } from "../ir/fresh-names.ts";
import { knownIn } from "../ir/known.ts";
import { union } from "../ir/regions.ts";
import type { Block, Buffer, Program, Range, Region, Scope, Stmt, Var } from "../ir/types.ts";
import { replaceBuffer, replaceStmt, statements } from "../ir/walk.ts";
import { type BlockAt, type Blocks, blockAt, loopAt, refuse, type Step, tidied, wouldChange } from "./find.ts";
import { axesOn } from "./loops.ts";
import { clipped, copyName, nestOver, sharedLoops } from "./nest.ts";

export type { Blocks } from "./find.ts";

function chosen(all: readonly Buffer[], which: number | string, what: string, b: Block, step: Step): Buffer {
  const found = typeof which === "number" ? all[which] : all.find((x) => x.name === which);
  return (
    found ??
    refuse(
      step,
      "W5520",
      { what: `buffer that '${b.name}' ${what}`, name: String(which), nearest: all.map((x) => x.name).join("', '") || undefined },
      b.span,
    )
  );
}

/** A block that copies one buffer's elements into another of the same shape. */
function copyBlock(name: string, from: Buffer, to: Buffer, b: Block): Block {
  const axes = from.shape.map((extent, d) => ({ variable: variable(`v${d}`), extent, type: "spatial" as const }));
  const indices = axes.map((a) => a.variable);
  return {
    kind: "block",
    name,
    axes,
    values: indices,
    body: { kind: "store", buffer: to, indices, value: load(from, indices), span: b.span },
    annotations: {},
    span: b.span,
  };
}

const rangesOf = (copy: Block, region: Region): ReadonlyMap<Var, Range> =>
  new Map(copy.axes.flatMap((a, d): [Var, Range][] => (region.ranges[d] ? [[a.variable, region.ranges[d]]] : [])));

/** The statement of a sequence that a block stands in, behind all that write the buffer; at the top where nothing does. */
function placeBefore({ block, around }: BlockAt, buffer: Buffer): { readonly depth: number } {
  const path: readonly Stmt[] = [...around, block];
  for (let depth = path.length - 1; depth > 0; depth--) {
    const parent = path[depth - 1];
    if (parent?.kind !== "seq") continue;
    const own = parent.body.indexOf(path[depth] as Stmt);
    if (parent.body.slice(0, own).some((s) => writes(s, buffer))) return { depth };
  }
  // Where later statements of a loop write it, its next iteration reads what they wrote: the copy stands inside of the loop.
  let depth = path[0]?.kind === "seq" && path.length > 1 ? 1 : 0;
  while (depth < path.length - 1 && writes(path[depth] as Stmt, buffer)) depth++;
  return { depth };
}

/** Puts a copy of what `block` reads of a buffer into another scope, and lets the block read that. */
export function cacheRead(p: Program, name: string, which: number | string, scope: Scope, step: Step): Blocks {
  const at = blockAt(p, name, step);
  const from = chosen(readBuffers(at.block), which, "reads", at.block, step);
  if (scope === "global") refuse(step, "W5526", { step: step.name, why: "a copy in global memory gains nothing" }, at.block.span);
  if (writtenBuffers(at.block).includes(from))
    wouldChange(step, `'${name}' writes ${from.name}, too, and cacheWrite(…) is for that`, at.block.span);
  const to: Buffer = {
    name: freshBufferName(p, copyName(from, scope)),
    dtype: from.dtype,
    shape: from.shape,
    scope,
    span: at.block.span,
  };
  const copy = copyBlock(freshBlockName(p, `${from.name}_${scope}`), from, to, at.block);
  const { depth } = placeBefore(at, from);
  const path: readonly Stmt[] = [...at.around, at.block];
  const place = path[depth] ?? at.block;
  const around = path.slice(0, depth);
  const known = knownIn(p, around);
  const wanted = accessesWithin(p, place, around, at.block, from, scope);
  const nest = nestOver(copy, wanted ? rangesOf(copy, clipped(wanted, known)) : new Map(), known);
  const reading: Block = {
    ...at.block,
    body: replaceBuffer(at.block.body, from, to),
    init: at.block.init && replaceBuffer(at.block.init, from, to),
  };
  const changed = replaceStmt(place, at.block, reading);
  const body = replaceStmt(p.body, place, seq(nest, changed));
  return { program: tidied({ ...p, buffers: [...p.buffers, to], body }), blocks: [copy.name] };
}

/** What a block reads of a buffer while everything inside `place` runs, and the threads that share the scope. */
function accessesWithin(
  p: Program,
  place: Stmt,
  around: readonly Stmt[],
  block: Block,
  buffer: Buffer,
  scope: Scope,
): Region | undefined {
  const only = replaceOthers(place, block);
  const shared = sharedLoops(around, scope);
  const known = knownIn(p, around);
  const found = touchedBy(only, known, shared).reads.filter((r) => r.buffer === buffer);
  return found.reduce<Region | undefined>((all, r) => (all ? union(all, r, known) : r), undefined);
}

/** The statement with every block but one left out. */
function replaceOthers(s: Stmt, keep: Block): Stmt {
  if (s === keep) return s;
  if (s.kind === "for") return { ...s, body: replaceOthers(s.body, keep) };
  if (s.kind === "block")
    return [...statements(s)].includes(keep) ? { ...s, init: undefined, body: replaceOthers(s.body, keep) } : seq();
  if (s.kind === "seq") return { ...s, body: s.body.map((x) => replaceOthers(x, keep)) };
  if (s.kind === "if") return { ...s, yes: replaceOthers(s.yes, keep), no: s.no && replaceOthers(s.no, keep) };
  return seq();
}

/** The part of a loop's body that a block stands in: the copies of what it writes stand around it, anew in each iteration. */
function placeIn(p: Program, { block, around }: BlockAt, buffer: Buffer, loop: Var, step: Step): Stmt {
  const path: readonly Stmt[] = [...around, block];
  const target = loopAt(p, loop, step).loop;
  const at = path.indexOf(target);
  if (at < 0)
    refuse(step, "W5523", { step: step.name, why: `'${loop.name}' is no loop around '${block.name}'` }, block.span, target.span);
  const inBlock = path.slice(0, -1).find((s, i) => i > at && s.kind === "block") ?? around.find((s) => s.kind === "block");
  if (inBlock?.kind === "block")
    refuse(step, "W5523", { step: step.name, why: `'${block.name}' stands in the block '${inBlock.name}'` }, inBlock.span);
  const body = path[at + 1];
  const place = (body?.kind === "seq" ? path[at + 2] : body) ?? block;
  const outside = path.slice(0, path.indexOf(place));
  const sums = block.init && outside.find((s) => s.kind === "for" && axesOn(block, s.variable).reduce);
  if (sums?.kind === "for")
    wouldChange(
      step,
      `the sums of '${block.name}' are not complete in one iteration of '${sums.variable.name}'`,
      block.span,
      sums.span,
    );
  const known = knownIn(p, outside);
  const written = touchedBy(replaceOthers(place, block), known).writes.find((r) => r.buffer === buffer);
  if (!written || !surelyWritten(place, buffer, known).some((w) => holds(w, clipped(written, known), known)))
    wouldChange(
      step,
      `an iteration of '${loop.name}' does not surely write all of the part of ${buffer.name} that it touches`,
      block.span,
    );
  return place;
}

/**
 * Lets `block` write into another scope, and a block of its own copy that to the buffer. What a block adds to without an init of its own is
 * copied in before. `loop`: the loop that the copies stand in; without it they stand around all of the block's loops.
 */
export function cacheWrite(
  p: Program,
  name: string,
  which: number | string,
  scope: Scope,
  step: Step,
  loop: Var | undefined = undefined,
): Blocks {
  const at = blockAt(p, name, step);
  const { block, around } = at;
  const buffer = chosen(writtenBuffers(block), which, "writes", block, step);
  if (scope === "global") refuse(step, "W5526", { step: step.name, why: "a copy in global memory gains nothing" }, block.span);
  const path: readonly Stmt[] = [...around, block];
  const place = loop ? placeIn(p, at, buffer, loop, step) : (path[path[0]?.kind === "seq" && path.length > 1 ? 1 : 0] ?? block);
  const other = [...statements(place)].find(
    (s) =>
      s.kind === "block" &&
      s !== block &&
      !path.includes(s) &&
      ![...statements(block)].includes(s) &&
      (writes(s, buffer) || reads(s, buffer)),
  );
  if (other?.kind === "block")
    refuse(step, "W5524", { step: step.name, why: `'${other.name}' touches ${buffer.name} in the same loops` }, other.span);
  const to: Buffer = {
    name: freshBufferName(p, copyName(buffer, scope)),
    dtype: buffer.dtype,
    shape: buffer.shape,
    scope,
    span: block.span,
  };
  const out = copyBlock(freshBlockName(p, `${buffer.name}_${scope}`), to, buffer, block);
  const into = copyBlock(freshBlockName(p, `${buffer.name}_${scope}_in`), buffer, to, block);
  const known = knownIn(p, path.slice(0, path.indexOf(place)));
  const region = touchedBy(replaceOthers(place, block), known).writes.find((r) => r.buffer === buffer);
  const over = (b: Block): Stmt => nestOver(b, region ? rangesOf(b, clipped(region, known)) : new Map(), known);
  const addsTo = !block.init && touchedByBlock(block).reads.some((r) => r.buffer === buffer);
  const writing: Block = {
    ...block,
    body: replaceBuffer(block.body, buffer, to),
    init: block.init && replaceBuffer(block.init, buffer, to),
  };
  const body = replaceStmt(p.body, place, seq(...(addsTo ? [over(into)] : []), replaceStmt(place, block, writing), over(out)));
  return { program: tidied({ ...p, buffers: [...p.buffers, to], body }), blocks: [out.name] };
}
