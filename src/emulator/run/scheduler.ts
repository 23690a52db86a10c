/**
 * Runs the warps of clusters in turns. In a warp, the split that is furthest behind in the text goes first, so that what a branch
 * has parted meets again behind it; splits at one place become one.
 */
import { type Activation, release } from "../machine/activation.ts";
import { type Cluster, newSplit, partOf, type Split, type Warp } from "../machine/warp.ts";
import type { JumpStep, OperationStep, Step } from "../program/step.ts";
import type { Progress } from "./progress.ts";
import type { Spinning } from "./spinning.ts";

/** Steps that a warp takes in its turn. */
export const turnSteps = 256;

/** What an operation or a jump counts for, in instructions of a segment. */
const slowStep = 32;

/** A callee counts as behind its caller, so that lanes meet again where the call returns. */
const isBehind = (a: Split, b: Split): boolean =>
  a.activation.depth === b.activation.depth ? a.pc < b.pc : a.activation.depth > b.activation.depth;

export function nextSplit(warp: Warp): Split | undefined {
  let best: Split | undefined;
  for (const split of warp.splits) {
    if (split.waiting) continue;
    if (!best || (best.tired && !split.tired) || (best.tired === split.tired && isBehind(split, best))) best = split;
  }
  return best;
}

/** Joins splits that have come to the same place and have nothing going on, if they may. */
export function merge(warp: Warp, mayMeet?: (a: Split, b: Split) => boolean): void {
  const { splits } = warp;
  for (let i = 0; i < splits.length; i++) {
    for (let j = splits.length - 1; j > i; j--) {
      const [a, b] = [splits[i], splits[j]];
      if (!a || !b || a.pc !== b.pc || a.activation !== b.activation || a.token || b.token) continue;
      if (mayMeet && !mayMeet(a, b)) continue;
      a.mask |= b.mask;
      a.waiting = false;
      splits.splice(j, 1);
    }
  }
}

function leave(warp: Warp, split: Split, mask: number): void {
  warp.live &= ~mask;
  split.mask &= ~mask;
  for (let a: Activation | undefined = split.activation; a; a = a.outer) release(a, mask);
  if (split.mask === 0) warp.splits.splice(warp.splits.indexOf(split), 1);
  // Splits that waited for those lanes need not any more.
  for (const other of warp.splits) other.waiting = false;
}

function branch(warp: Warp, split: Split, taken: number, target: number): void {
  if (taken === split.mask) split.pc = target;
  else if (taken === 0) split.pc += 1;
  else {
    split.mask &= ~taken;
    split.pc += 1;
    warp.splits.push(newSplit(target, taken, split.activation));
  }
}

/** The lanes that the guard lets through go elsewhere, the others on. */
function jump(warp: Warp, split: Split, step: JumpStep, progress: Progress): void {
  progress.spent += slowStep;
  progress.hidden = true;
  const mask = step.guard ? step.guard(warp, split.mask) : split.mask;
  const part = mask === 0 ? undefined : partOf(warp, split, mask);
  if (part !== split) split.pc += 1;
  if (part && step.run(warp, part)) progress.effect = true;
}

/** Gives false where the operation was refused. */
function operate(warp: Warp, split: Split, step: OperationStep, progress: Progress): boolean {
  progress.spent += slowStep;
  const mask = step.guard ? step.guard(warp, split.mask) : split.mask;
  if (mask !== 0) {
    const { monitor } = warp.block.launch;
    if (step.converged && split.mask !== warp.live) {
      split.waiting = true;
      monitor?.parted(warp, mask, step);
      return false;
    }
    if (monitor && !split.token) monitor.step(warp, mask, step);
    const outcome = step.run(warp, mask, split, step);
    if (outcome === "wait" || outcome === "arrived") {
      split.waiting = true;
      if (outcome === "arrived") progress.ran = progress.effect = true;
      return false;
    }
    if (outcome === "next") progress.effect = true;
    else if (outcome === "polled") progress.hidden = true;
    if (monitor && step.converged) monitor.met(warp, mask, step.instruction);
  }
  split.pc += 1;
  return true;
}

export function take(warp: Warp, split: Split, step: Step | undefined, progress: Progress): void {
  if (step !== undefined) warp.at = step.instruction.index;
  if (step === undefined || step.kind === "exit") {
    const mask = step?.guard ? step.guard(warp, split.mask) : split.mask;
    if (mask !== split.mask) split.pc += 1;
    progress.effect = true;
    warp.block.launch.monitor?.exits(warp, mask);
    leave(warp, split, mask);
  } else if (step.kind === "segment") {
    progress.spent += step.instructions.length;
    warp.block.launch.monitor?.step(warp, split.mask, step);
    if (progress.careful) step.careful(warp, split.mask);
    else step.run(warp, split.mask);
    split.pc += 1;
    if ((step.effect && !progress.careful) || warp.noticed) {
      progress.effect = true;
      warp.noticed = false;
    }
    if (step.hidden) progress.hidden = true;
  } else if (step.kind === "branch") {
    progress.spent += 1;
    warp.block.launch.monitor?.step(warp, split.mask, step);
    branch(warp, split, step.guard ? step.guard(warp, split.mask) : split.mask, step.target);
  } else if (step.kind === "jump") {
    warp.block.launch.monitor?.step(warp, split.mask, step);
    jump(warp, split, step, progress);
  } else if (!operate(warp, split, step, progress)) return;
  progress.ran = true;
}

/** One turn of a warp. */
function runWarp(warp: Warp, steps: readonly Step[], progress: Progress, spinning?: Spinning): void {
  for (const split of warp.splits) split.waiting = false;
  const most = spinning?.begins(warp, progress, turnSteps) ?? turnSteps;
  let left = most;
  for (; left > 0; left--) {
    const split = warp.splits.length === 1 ? warp.splits[0] : nextSplit(warp);
    if (!split || split.waiting) break;
    if (spinning?.recurs(warp, split)) continue;
    take(warp, split, steps[split.pc], progress);
    spinning?.took(progress);
    if (warp.splits.length > 1) merge(warp);
    if (left === 1 && warp.splits.length > 1) split.tired = true;
  }
  spinning?.ends(warp, progress);
  if (left === 0 && warp.splits.every((split) => split.tired || split.waiting))
    for (const split of warp.splits) split.tired = false;
}

/** Who runs the warps of a round, and who may be passed over in it. */
export interface Round {
  readonly progress: Progress;
  readonly spinning: Spinning | undefined;
  /** Told of each warp before its turn. */
  readonly before: (warp: Warp) => void;
}

/** One turn of each warp of a cluster. */
export function runCluster(cluster: Cluster, steps: readonly Step[], { progress, spinning, before }: Round): void {
  for (const warp of cluster.warps) {
    if (warp.live === 0 || spinning?.rests(warp)) continue;
    before(warp);
    runWarp(warp, steps, progress, spinning);
  }
}
