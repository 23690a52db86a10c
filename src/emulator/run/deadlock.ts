/** Who is stuck where, and what they lack: the report when nothing can go on. */

import type { Span, Spans } from "../../base/diag/index.ts";
import { type Instruction, traitsOf } from "../../ptx/parse/index.ts";
import { nameAt } from "../machine/memory-names.ts";
import { instructionsOf } from "../machine/monitor.ts";
import type { Cluster, Split, Warp } from "../machine/warp.ts";
import { describeSource, describeWarp, lanesName } from "../machine/where.ts";
import { hears, isSharedAccess } from "../program/communicates.ts";
import { reaches, shortestLoop } from "../program/paths.ts";
import type { Program } from "../program/program.ts";
import type { OperationStep } from "../program/step.ts";
import type { LaunchState } from "./launch-state.ts";

/** What a loop polls: something that another thread is to write. */
const polls = (i: Instruction): boolean => hears(i) && isSharedAccess(i);

/** The first load or atomic of the loop that the split is in: what its threads poll. */
function lookOf({ steps }: Program, split: Split): Instruction | undefined {
  const step = steps[split.pc];
  if (step?.kind === "operation" && (step.converged || step.run.lacks)) return undefined;
  return shortestLoop(steps, split.pc)
    .flatMap((at) => steps[at] ?? [])
    .flatMap(instructionsOf)
    .find(polls);
}

/** "which finds 0 at 0x7f00000000 (element 0 of x, [64])": what a lane of the split has looked at, where its address is still there. */
function findingOf({ program, global, memories }: LaunchState, warp: Warp, split: Split, { index, opcode }: Instruction): string {
  const lane = 31 - Math.clz32(split.mask & -split.mask);
  const address = program.addressOf(index)?.(warp, lane);
  const { type } = opcode.types;
  if (address === undefined || !type || type.bits < 32 || type.bits > 64) return "";
  const region = global.find(address, type.bits / 8);
  if (!region) return "";
  const at = (address - region.base) / 4;
  const low = BigInt(region.u32[at] ?? 0);
  const value = type.bits === 32 ? low : low | (BigInt(region.u32[at + 1] ?? 0) << 32n);
  const shown = type.kind === "float" || value > 0xffff ? `0x${value.toString(16)}` : `${value}`;
  return `, which finds ${shown} at 0x${address.toString(16)}${nameAt({ memories, program }, "global", address)}`;
}

/** Warps that wait for the same. */
interface Group {
  readonly what: string;
  readonly who: readonly string[];
}

export interface Stuck {
  readonly kernel: string;
  readonly waiters: readonly Group[];
  readonly spans: Spans;
}

const mostSpans = 4;

/** Lanes that wait at an instruction which the whole warp has to run together: the step, and the lanes that are elsewhere. */
function partedAt(
  { steps }: Program,
  warp: Warp,
  split: Split,
): { readonly step: OperationStep; readonly others: readonly Split[] } | undefined {
  const step = steps[split.pc];
  if (step?.kind !== "operation" || !step.converged || split.token || split.mask === warp.live) return undefined;
  return { step, others: warp.splits.filter((other) => other !== split) };
}

function describe(launch: LaunchState, warp: Warp, split: Split): string {
  const { program } = launch;
  const looked = lookOf(program, split);
  if (looked) return `${looked.opcode.text} (${describeSource(program, looked.index)})${findingOf(launch, warp, split, looked)}`;
  const step = program.steps[split.pc];
  if (!step) return "the end";
  const at = `${step.instruction.opcode.text} (${describeSource(program, step.instruction.index)})`;
  const parted = partedAt(program, warp, split);
  if (parted) {
    const away = parted.others.map((other) => `${lanesName(other.mask)} at ${whereabouts(program, other)}`);
    return `${at}, ${lanesName(split.mask)} alone; it waits for ${away.join(", ")}`;
  }
  const lacks = step.kind === "operation" ? step.run.lacks?.(warp, split.mask, split) : undefined;
  return lacks === undefined ? at : `${at}; it waits for ${lacks}`;
}

function whereabouts(program: Program, split: Split): string {
  const instruction = program.steps[split.pc]?.instruction;
  return instruction ? `${instruction.opcode.text} (${describeSource(program, instruction.index)})` : "the end";
}

/** Threads that have exited can bring nothing any more. */
function gone(cluster: Cluster): readonly Group[] {
  return cluster.blocks.flatMap((block) => {
    const exited = block.warps.filter((warp) => warp.live === 0).map((warp) => describeWarp(warp));
    return exited.length > 0 ? [{ what: "their end: they have exited", who: exited }] : [];
  });
}

/** Warps that wait for an mbarrier come first: the others mostly wait for these. */
function rank(i: Instruction): number {
  const { barrier } = traitsOf(i);
  return barrier === "mbarrier" ? 0 : barrier === "threads" ? 2 : 1;
}

export function findStuck(launch: LaunchState, clusters: readonly Cluster[]): Stuck {
  const { program } = launch;
  const groups = new Map<string, string[]>();
  const places = new Map<number, Instruction>();
  for (const warp of clusters.flatMap((cluster) => cluster.warps)) {
    for (const split of warp.splits) {
      const what = describe(launch, warp, split);
      groups.set(what, [...(groups.get(what) ?? []), describeWarp(warp)]);
      const instruction = lookOf(program, split) ?? program.steps[split.pc]?.instruction;
      if (instruction) places.set(instruction.index, instruction);
    }
  }
  const ordered = [...places].sort(([, a], [, b]) => rank(a) - rank(b)).map(([at]) => at);
  const waiters = [...groups].map(([what, who]) => ({ what, who }));
  return { kernel: program.name, waiters: [...waiters, ...clusters.flatMap(gone)], spans: spansOf(launch, ordered) };
}

function spansOf({ program }: LaunchState, places: readonly number[]): Spans {
  const spans: Span[] = [];
  for (const at of places.slice(0, mostSpans)) {
    const [span, ...further] = program.placeOf(at);
    const known = spans.some((other) => other.file === span?.file && other.line === span.line);
    if (span && !known) spans.push(...(spans.length === 0 ? [span, ...further] : [{ ...span, note: "others wait at" }]));
  }
  return spans;
}

/** W9224: lanes that wait at an instruction of the whole warp for lanes that cannot come to it any more. */
export function reportParted(launch: LaunchState, clusters: readonly Cluster[]): void {
  const { program, reports } = launch;
  for (const warp of clusters.flatMap((cluster) => cluster.warps)) {
    for (const split of warp.splits) {
      const parted = partedAt(program, warp, split);
      const away = parted?.others.find((other) => !reaches(program.steps, other.pc, split.pc));
      if (!parted || !away) continue;
      const { instruction } = parted.step;
      const args = {
        kernel: program.name,
        who: describeWarp(warp),
        instruction: instruction.opcode.text,
        lanes: lanesName(split.mask),
      };
      const other = program.steps[away.pc]?.instruction.index;
      reports?.add("W9224", args, instruction.index, other === undefined ? [] : [{ note: "others are at", at: other }]);
    }
  }
}
