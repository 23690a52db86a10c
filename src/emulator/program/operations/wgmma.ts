/** wgmma (PTX ISA 9.7.15): the four warps of a warpgroup meet at each instruction, then one of them does it for all. */

import type { Instruction, Operand } from "../../../ptx/parse/index.ts";
import { shapeNamed } from "../../../ptx/parse/index.ts";
import { KernelFault } from "../../machine/fault.ts";
import { lanes } from "../../machine/lanes.ts";
import {
  commitGroup,
  groupsThrough,
  inputBytes,
  issueWgmma,
  type SparseMetadata,
  type WgmmaInput,
  type WgmmaProduct,
} from "../../machine/units/index.ts";
import type { Split, Warp, Warpgroup } from "../../machine/warp.ts";
import { Unsupported } from "../codegen/unsupported.ts";
import { type Operating, readPredicate, readWord, rowsOf } from "../operands.ts";
import { type Operation, waiting } from "../step.ts";
import type { OperationRule, OperationRules } from "./rule.ts";

function groupOf(warp: Warp): Warpgroup {
  const group = warp.block.warpgroups[warp.index >> 2];
  if (!group || group.warps.length < 4) {
    throw new KernelFault("it used wgmma in a warpgroup of fewer than 4 warps: the block has to be a multiple of 128 threads");
  }
  return group;
}

/** Runs once the whole warpgroup is there. */
function together(at: number, run: (warp: Warp, group: Warpgroup) => void): Operation {
  const meet: Operation = (warp: Warp, _mask: number, split: Split) => {
    if (split.token) {
      if (!split.token.open) return "wait";
      split.token = undefined;
      return "next";
    }
    const group = groupOf(warp);
    group.meeting ??= { at, arrived: 0, token: { open: false, result: 0 } };
    const { meeting } = group;
    if (meeting.at !== at) throw new KernelFault("the warps of a warpgroup came to different wgmma instructions");
    meeting.arrived += 1;
    if (meeting.arrived < 4) {
      split.token = meeting.token;
      return "arrived";
    }
    run(warp, group);
    meeting.token.open = true;
    group.meeting = undefined;
    return "next";
  };
  return waiting(meet, (warp) => `the warpgroup, of which ${groupOf(warp).meeting?.arrived ?? 0} of 4 warps are there`);
}

interface Signs {
  readonly scaleA: 1 | -1;
  readonly scaleB: 1 | -1;
  readonly transA: boolean;
  readonly transB: boolean;
}

const numberOf = (o: Operand | undefined, otherwise: number): number => (o?.kind === "int" ? Number(o.value) : otherwise);
const signOf = (o: Operand | undefined): 1 | -1 => (numberOf(o, 1) === -1 ? -1 : 1);

/** What follows the scale of D: signs where there are any, then transpositions; A in registers has none. */
function signs(rest: readonly (Operand | undefined)[], inRegisters: boolean): Signs {
  const [a, b, transA, transB] = rest;
  const first = numberOf(transA, 0) === 1;
  const second = numberOf(transB, 0) === 1;
  return { scaleA: signOf(a), scaleB: signOf(b), transA: !inRegisters && first, transB: inRegisters ? first : second };
}

function bits(c: Operating, o: Operand | undefined): (warp: Warp) => { readonly low: number; readonly high: number } {
  if (o?.kind !== "register") throw new KernelFault("a matrix descriptor is no register");
  const base = c.layout.place(o);
  return (warp) => ({ low: warp.i32[base] ?? 0, high: warp.i32[base + 1] ?? 0 });
}

const inputOf = (type: string | undefined): WgmmaInput => (type === "b1" ? "u8" : (type as WgmmaInput));

/** The words of all lanes, as they are when the product is issued. */
function metadataReader(c: Operating, o: Operand | undefined, selector: Operand | undefined, type: string | undefined) {
  const chosen = numberOf(selector, 0);
  const most = inputBytes[inputOf(type)] === 1 ? 0 : 1;
  if (o?.kind !== "register" || chosen < 0 || chosen > most)
    throw new Unsupported(`a sparsity selector of ${chosen} for ${type}`);
  const base = c.layout.place(o);
  return (warps: readonly Warp[]): SparseMetadata => ({
    words: warps.map((warp) => warp.i32.slice(base, base + lanes)),
    selector: chosen === 1 ? 1 : 0,
  });
}

const product =
  (inRegisters: boolean, isSparse = false): OperationRule =>
  (c: Operating, i: Instruction) => {
    const [d, a, b] = i.operands;
    const [scale, ...rest] = i.operands.slice(isSparse ? 5 : 3);
    const { shape, d: dType, a: aType, b: bType, satfinite } = i.opcode.modifiers;
    const rows = inRegisters ? rowsOf(c, a) : undefined;
    const [left, right] = [rows ? undefined : bits(c, a), bits(c, b)];
    const scaleD = scale?.kind === "int" ? readWord(c, scale) : readPredicate(c, scale);
    const sparse = isSparse ? metadataReader(c, i.operands[3], i.operands[4], aType) : undefined;
    const fixed = {
      n: shapeNamed(shape).n,
      dType: dType as WgmmaProduct["dType"],
      aType: inputOf(aType),
      bType: inputOf(bType),
      bits: aType === "b1",
      d: rowsOf(c, d),
      satfinite: Boolean(satfinite),
      ...signs(rest, inRegisters),
    };
    return together(i.index, (warp, group) => {
      const [first] = group.warps;
      if (!first) return;
      const { queue, monitor } = first.block.launch;
      const given: WgmmaProduct = {
        ...fixed,
        a: rows ?? left?.(first) ?? [],
        b: right(first),
        scaleD: scaleD(first, 0) !== 0,
        warps: group.warps,
        sparse: sparse?.(group.warps),
        shared: first.block.shared,
      };
      monitor?.wgmmaIssues(warp, group, given);
      issueWgmma(queue, group.groups, given, monitor && (() => monitor.wgmmaLands(group, given)));
    });
  };

const commit: OperationRule = (_, i) =>
  together(i.index, (warp, group) => {
    warp.block.launch.monitor?.wgmmaCommits(warp, group);
    commitGroup(group.groups);
  });

const wait: OperationRule = (_, { operands: [count] }) => {
  const allowed = numberOf(count, 0);
  return (warp) => {
    const group = groupOf(warp);
    if (!groupsThrough(group.groups, allowed)) {
      warp.block.launch.scheduler?.awaits(group.groups);
      return "wait";
    }
    warp.block.launch.monitor?.wgmmaWaits(warp, group, allowed);
    return "next";
  };
};

const fenceRegisters: OperationRule = () => (warp) => {
  warp.block.launch.monitor?.wgmmaFence(warp);
  return "quiet";
};

export const wgmmaRules: OperationRules = {
  "wgmma.fence": fenceRegisters,
  "wgmma.commit_group": commit,
  "wgmma.wait_group": wait,
  "wgmma.mma_async": product(false),
  "wgmma.mma_async.rs": product(true),
  "wgmma.mma_async.sp": product(false, true),
  "wgmma.mma_async.sp.rs": product(true, true),
  "wgmma.mma_async.b1": product(false),
  "wgmma.mma_async.b1.rs": product(true),
};
