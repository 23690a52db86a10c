/** Moving a block under a loop: of what it makes, that loop needs or gives a part at a time. */

import { pointsOf } from "../facts/points.ts";
import { readBuffers, reads, touchedBy, touchedByBlock, writes, writtenBuffers } from "../facts/touches.ts";
import { add, binary, int, seq } from "../ir/build.ts";
import { knownIn } from "../ir/known.ts";
import { rangeOver, union } from "../ir/regions.ts";
import { provably } from "../ir/simplify.ts";
import type { Block, Buffer, For, Program, Range, Region, Stmt, Var } from "../ir/types.ts";
import { blocksOf, isBlock, isFor, mentions, replaceStmt, statements } from "../ir/walk.ts";
import type { Blocks } from "./cache.ts";
import { type BlockAt, blockAt, type LoopAt, loopAt, outermostBlocks, refuse, type Step, tidied, wouldChange } from "./find.ts";
import { axesFor, clipped, nestOver, sharedLoops } from "./nest.ts";

/** The outermost statement that holds this block and nothing else: its own loops. */
function ownNest({ block, around }: BlockAt, step: Step): Stmt {
  const inBlock = around.findLast(isBlock);
  if (inBlock)
    refuse(step, "W5523", { step: step.name, why: `'${block.name}' stands in the block '${inBlock.name}'` }, inBlock.span);
  let own: Stmt = block;
  for (const s of around.toReversed()) {
    if (s.kind !== "for" && s.kind !== "if") break;
    if (s.kind === "if") refuse(step, "W5523", { step: step.name, why: `'${block.name}' stands under an if` }, s.span);
    own = s;
  }
  return own;
}

/** Where the body of a program has two statements, which comes first. */
function comesBefore(p: Program, a: Stmt, b: Stmt): boolean {
  for (const s of statements(p.body)) {
    if (s === a) return true;
    if (s === b) return false;
  }
  return false;
}

const isInside = (outer: Stmt, inner: Stmt): boolean => [...statements(outer)].includes(inner);
const blockNamed = (p: Program, test: (b: Block) => boolean): Block | undefined => blocksOf(p).find(test);

function partOf(region: readonly Region[], buffer: Buffer, known: ReturnType<typeof knownIn>): Region | undefined {
  return region
    .filter((r) => r.buffer === buffer)
    .reduce<Region | undefined>((all, r) => (all ? union(all, r, known) : r), undefined);
}

/** Over which ranges of its axes a block writes what an iteration of the loop reads of those buffers, or reads what it writes; of an axis that two ask for differently, the first. */
function rangesFor(
  block: Block,
  buffers: readonly Buffer[],
  does: "reads" | "writes",
  { loop, around }: LoopAt,
  known: ReturnType<typeof knownIn>,
): ReadonlyMap<Var, Range> {
  const all = new Map<Var, Range>();
  for (const buffer of buffers) {
    const touched = touchedBy(loop.body, known, sharedLoops([...around, loop], buffer.scope));
    const part = partOf(does === "writes" ? touched.reads : touched.writes, buffer, known);
    const itself = touchedByBlock(block)[does].find((r) => r.buffer === buffer);
    if (!part || !itself) continue;
    for (const [v, r] of axesFor(block, itself, clipped(part, known), known)) if (!all.has(v)) all.set(v, r);
  }
  return all;
}

/** Moves a block that makes what others read under a loop of theirs; there it makes what one iteration reads. */
export function computeAt(p: Program, name: string, loop: Var, step: Step): Blocks {
  const at = blockAt(p, name, step);
  const target = loopAt(p, loop, step);
  const { block } = at;
  const own = ownNest(at, step);
  const made = writtenBuffers(block);
  checkProducer(p, at, own, target, step);
  const known = knownIn(p, [...target.around, target.loop]);
  const [first] = made;
  if (!first) return { program: p, blocks: [name] };
  const ranges = rangesFor(block, made, "writes", target, known);
  checkSameIteration(p, at, target, ranges, step);
  const nest = nestOver(block, ranges, known);
  const body = target.loop.body.kind === "seq" ? target.loop.body.body : [target.loop.body];
  const before = body.findIndex((s) => made.some((b) => reads(s, b)));
  const after = body.findLastIndex((s) => readBuffers(block).some((b) => writes(s, b)));
  if (after >= before && after >= 0)
    wouldChange(
      step,
      `what '${block.name}' reads is written in '${loop.name}' after the first that reads what it makes`,
      block.span,
    );
  const changed: For = { ...target.loop, body: seq(...body.slice(0, before), nest, ...body.slice(before)) };
  return { program: tidied({ ...p, body: moved(p.body, own, target.loop, changed) }), blocks: [name] };
}

/**
 * Refuses to run a block at other points than it runs at in the same iteration of loops around both places, where something in those loops
 * writes what it reads: in another iteration that may be overwritten already, or not yet written.
 */
function checkSameIteration(p: Program, at: BlockAt, target: LoopAt, ranges: ReadonlyMap<Var, Range>, step: Step): void {
  const { block, around } = at;
  const shared = around.filter((s): s is For => s.kind === "for" && [...target.around, target.loop].includes(s));
  const left = around.find((s): s is For => s.kind === "for" && !shared.includes(s) && hasOthers(s, block));
  const fromLeft = left && readBuffers(block).find((b) => writes(left, b));
  if (left && fromLeft)
    wouldChange(
      step,
      `'${block.name}' reads ${fromLeft.name}, which each iteration of '${left.variable.name}' writes anew, and would stand outside of that loop`,
      block.span,
      left.span,
    );
  const indexed = new Set(
    [...statements(block.body)].flatMap((s) =>
      s.kind === "store"
        ? s.indices.flatMap((e) => block.axes.filter((a) => mentions(e, new Set([a.variable]))))
        : block.axes.filter(() => s.kind === "intrinsic"),
    ),
  );
  const reused = block.axes.find(
    (a, i) => left && !indexed.has(a) && mentions(block.values[i] ?? int(0), new Set([left.variable])),
  );
  if (left && reused)
    wouldChange(
      step,
      `'${block.name}' writes the same elements in each iteration of '${left.variable.name}', and would stand outside of that loop`,
      block.span,
      left.span,
    );
  const [outer] = shared;
  if (!outer) return;
  const input = readBuffers(block).find((b) => writes(outer, b));
  const variables = new Set(shared.map((l) => l.variable));
  const inner = new Set(around.flatMap((s) => (s.kind === "for" && !shared.includes(s) ? [s.variable] : [])));
  const known = new Map([...knownIn(p, around), ...knownIn(p, [...target.around, target.loop])]);
  block.axes.forEach((axis, i) => {
    const value = block.values[i];
    // An axis that the elements written do not lead to would run over all its points.
    if (!value || !mentions(value, variables) || (!input && ranges.has(axis.variable))) return;
    const now = rangeOver(value, inner, known);
    const then = ranges.get(axis.variable) ?? { min: int(0), extent: axis.extent };
    const inside =
      now &&
      provably(binary(">=", then.min, now.min), known) &&
      provably(binary("<=", add(then.min, then.extent), add(now.min, now.extent)), known);
    if (!inside)
      wouldChange(
        step,
        `in one iteration of '${outer.variable.name}' '${block.name}' would run at points of others${input ? `, and what it reads of ${input.name} is not theirs` : ""}`,
        block.span,
        outer.span,
      );
  });
}

/** Whether a loop runs more than one block. */
const hasOthers = (loop: For, block: Block): boolean =>
  [...outermostBlocks(loop)].some((b) => b !== block && !isInside(b, block));

/** Refuses to leave out points of a block: what it takes of the loop's results has to lead to each of them. */
function checkAllPoints(p: Program, block: Block, target: LoopAt, ranges: ReadonlyMap<Var, Range>, step: Step): void {
  const around = [...target.around, target.loop];
  const known = knownIn(p, around);
  const loops = new Set(around.flatMap((s) => (s.kind === "for" ? [s.variable] : [])));
  for (const axis of block.axes) {
    const range = ranges.get(axis.variable);
    const whole = range && rangeOver(range.min, loops, known);
    if (!range) continue;
    const all =
      whole &&
      provably(binary("<=", whole.min, int(0)), known) &&
      provably(binary(">=", add(add(whole.min, whole.extent), range.extent), add(axis.extent, int(1))), known);
    if (!all)
      wouldChange(step, `'${block.name}' would not run at every point of its axis '${axis.variable.name}' any more`, block.span);
  }
}

/** The tree without `own`, and with `changed` where `old` was. */
const moved = (root: Stmt, own: Stmt, old: Stmt, changed: Stmt): Stmt =>
  replaceStmt(replaceStmt(root, old, changed), own, undefined);

function checkProducer(p: Program, at: BlockAt, own: Stmt, target: LoopAt, step: Step): void {
  const { block } = at;
  const same = new Set([...target.around, target.loop].flatMap((s) => (isFor(s) && at.around.includes(s) ? [s.variable] : [])));
  if (!pointsOf(p, block, at.around, same).independent)
    wouldChange(
      step,
      `the axes of '${block.name}' follow from one another, so new loops for each of them would run it elsewhere, too`,
      block.span,
    );
  if (isInside(own, target.loop))
    refuse(
      step,
      "W5523",
      { step: step.name, why: `'${target.loop.variable.name}' is a loop of '${block.name}' itself` },
      target.loop.span,
    );
  if (isInside(target.loop, own))
    refuse(
      step,
      "W5523",
      { step: step.name, why: `'${block.name}' stands in the loop '${target.loop.variable.name}' already` },
      block.span,
      target.loop.span,
    );
  if (!comesBefore(p, own, target.loop))
    wouldChange(step, `'${block.name}' stands behind the loop '${target.loop.variable.name}'`, block.span, target.loop.span);
  for (const buffer of writtenBuffers(block)) {
    if (p.params.includes(buffer))
      wouldChange(step, `'${block.name}' writes ${buffer.name}, which is a result of the program`, block.span);
    const other = blockNamed(p, (b) => b !== block && !isInside(b, block) && !isInside(block, b) && writes(b, buffer));
    if (other) wouldChange(step, `'${other.name}' writes ${buffer.name}, too`, other.span);
    const reader = blockNamed(
      p,
      (b) =>
        b !== block && !isInside(block, b) && reads(b, buffer) && !isInside(target.loop.body, b) && !isInside(b, target.loop),
    );
    if (reader) wouldChange(step, `'${reader.name}' reads ${buffer.name} outside of '${target.loop.variable.name}'`, reader.span);
  }
  if (!writtenBuffers(block).some((b) => reads(target.loop.body, b)))
    wouldChange(step, `nothing in '${target.loop.variable.name}' reads what '${block.name}' makes`, block.span, target.loop.span);
  if (!block.init && touchedByBlock(block).reads.some((r) => writtenBuffers(block).includes(r.buffer)))
    wouldChange(step, `'${block.name}' adds to what it writes without an init, so running it again would add again`, block.span);
  checkInputsKept(p, block, own, target, step);
}

/** Nothing between where the block stood and where it goes may write what it reads. */
function checkInputsKept(p: Program, block: Block, own: Stmt, target: LoopAt, step: Step): void {
  const inputs = readBuffers(block).filter((b) => !writtenBuffers(block).includes(b));
  for (const b of outermostBlocks(p.body)) {
    if (b === block || !comesBefore(p, own, b)) continue;
    const overwritten = inputs.find((x) => writes(b, x));
    const after = !isInside(target.loop, b) && !isInside(b, target.loop) && !comesBefore(p, b, target.loop);
    const shared = [...target.around].some((s) => s.kind === "for" && isInside(s, b));
    if (overwritten && (!after || shared))
      wouldChange(step, `'${b.name}' writes ${overwritten.name}, which '${block.name}' reads`, b.span);
  }
}

/** Moves a block that reads what others make under a loop of theirs; there it takes what one iteration makes. */
export function reverseComputeAt(p: Program, name: string, loop: Var, step: Step): Blocks {
  const at = blockAt(p, name, step);
  const target = loopAt(p, loop, step);
  const { block } = at;
  const own = ownNest(at, step);
  checkConsumer(p, at, own, target, step);
  const known = knownIn(p, [...target.around, target.loop]);
  const taken = readBuffers(block).filter((b) => writes(target.loop.body, b));
  const ranges = rangesFor(block, taken, "reads", target, known);
  checkSameIteration(p, at, target, ranges, step);
  checkAllPoints(p, block, target, ranges, step);
  const nest = nestOver(block, ranges, known);
  const changed: For = { ...target.loop, body: seq(target.loop.body, nest) };
  return { program: tidied({ ...p, body: moved(p.body, own, target.loop, changed) }), blocks: [name] };
}

function checkConsumer(p: Program, at: BlockAt, own: Stmt, target: LoopAt, step: Step): void {
  const { block } = at;
  const { loop } = target;
  if (!pointsOf(p, block, at.around).covers)
    wouldChange(step, `the loops of '${block.name}' do not run it at every point of its axes, and new loops would`, block.span);
  if (isInside(own, loop))
    refuse(step, "W5523", { step: step.name, why: `'${loop.variable.name}' is a loop of '${block.name}' itself` }, loop.span);
  if (!comesBefore(p, loop, own))
    wouldChange(step, `'${block.name}' stands before the loop '${loop.variable.name}'`, block.span, loop.span);
  const taken = readBuffers(block).filter((b) => writes(loop.body, b));
  if (taken.length === 0)
    wouldChange(step, `nothing in '${loop.variable.name}' makes what '${block.name}' reads`, block.span, loop.span);
  if (block.axes.some((a) => a.type === "reduce"))
    wouldChange(step, `'${block.name}' sums up, and would have a part of its terms in each iteration`, block.span);
  if (touchedByBlock(block).reads.some((r) => writtenBuffers(block).includes(r.buffer)))
    wouldChange(step, `'${block.name}' changes what it writes, and would do so in each iteration`, block.span);
  for (const buffer of taken) {
    const outside = blockNamed(p, (b) => b !== block && writes(b, buffer) && !isInside(loop.body, b) && !isInside(b, loop));
    if (outside) wouldChange(step, `'${outside.name}' writes ${buffer.name} outside of '${loop.variable.name}'`, outside.span);
  }
  checkComplete(target, taken, block, step);
  checkUntouched(p, block, own, target, step);
}

/** What one iteration makes must be finished in it: no reduction runs in the loop or around it. */
function checkComplete(target: LoopAt, taken: readonly Buffer[], block: Block, step: Step): void {
  const outer = new Set([...target.around, target.loop].flatMap((s) => (s.kind === "for" ? [s.variable] : [])));
  for (const b of outermostBlocks(target.loop.body)) {
    if (!taken.some((x) => writes(b, x))) continue;
    const open = b.axes.find((a, i) => a.type === "reduce" && b.values[i] && mentions(b.values[i], outer));
    if (open)
      wouldChange(
        step,
        `in one iteration of '${target.loop.variable.name}' the sums of '${b.name}' are not complete: its axis '${open.variable.name}' runs around it`,
        b.span,
        block.span,
      );
  }
}

/** Nothing from the loop to where the block stood may touch what the block writes, or change what else it reads. */
function checkUntouched(p: Program, block: Block, own: Stmt, target: LoopAt, step: Step): void {
  const [made, inputs] = [writtenBuffers(block), readBuffers(block)];
  const top = [...target.around, target.loop].find((s) => s.kind === "for") ?? target.loop;
  for (const b of outermostBlocks(p.body)) {
    // In a loop around both places, what stands behind the block comes before it in the next iteration.
    if (b === block || !(comesBefore(p, b, own) || (isInside(top, own) && isInside(top, b)))) continue;
    if (!isInside(top, b) && !comesBefore(p, top, b)) continue;
    const touched = made.find((x) => writes(b, x) || reads(b, x));
    if (touched) wouldChange(step, `'${b.name}' touches ${touched.name}, which '${block.name}' writes`, b.span);
    const changed = inputs.find((x) => writes(b, x) && !isInside(target.loop.body, b));
    if (changed) wouldChange(step, `'${b.name}' writes ${changed.name}, which '${block.name}' reads, after that loop`, b.span);
  }
}
