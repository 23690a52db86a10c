/** Straight-line PTX to JavaScript. */
import type { Instruction } from "../../../ptx/parse/index.ts";
import { LaneAccesses } from "../../machine/lane-accesses.ts";
import { Region } from "../../machine/memory.ts";
import * as bits from "../../machine/numerics/bits.ts";
import * as convert from "../../machine/numerics/convert.ts";
import { divExact, sqrtExact } from "../../machine/numerics/exact.ts";
import * as fields from "../../machine/numerics/fields.ts";
import * as integers from "../../machine/numerics/integers.ts";
import * as rounding from "../../machine/numerics/rounding.ts";
import * as smallFloats from "../../machine/numerics/small-floats.ts";
import * as specialFunctions from "../../machine/numerics/special-functions.ts";
import * as transcendental from "../../machine/numerics/transcendental.ts";
import type { Warp } from "../../machine/warp.ts";
import { convertRules } from "./convert.ts";
import { floatRules } from "./floats.ts";
import { integerRules } from "./integers.ts";
import type { RegisterLayout } from "./layout.ts";
import { logicRules } from "./logic.ts";
import { makeFunction } from "./make-function.ts";
import { memoryRules } from "./memory.ts";
import { moveRules } from "./moves.ts";
import type { Rules } from "./rule.ts";
import { stackRules } from "./stack.ts";
import { toldOffsets } from "./told.ts";
import { type Symbols, Writer } from "./writer.ts";

const rules: Rules = {
  ...integerRules,
  ...floatRules,
  ...logicRules,
  ...moveRules,
  ...convertRules,
  ...memoryRules,
  ...stackRules,
};

/** Whether an instruction concerns each lane by itself. */
export const isLaneInstruction = ({ opcode }: Instruction): boolean => opcode.form in rules;

/** Runs straight-line code for the lanes of a mask. */
export type Segment = (warp: Warp, mask: number) => void;

const nothing = new Region("global", 0, 0);
const helpers: Readonly<Record<string, unknown>> = {
  ...bits,
  ...integers,
  ...rounding,
  ...fields,
  divExact,
  sqrtExact,
  ...smallFloats,
  ...convert,
  ...specialFunctions,
  ...transcendental,
  fround: Math.fround,
  clz32: Math.clz32,
  nothing,
  toldOffsets,
  LaneAccesses,
};

/** A segment that is written but for which registers it leaves behind. */
export type Written = Pick<Writer, "initial" | "finish">;

/** Writes one segment. `careful`: see `SegmentStep`. `attempt` runs what may throw `Unsupported`, for one instruction. */
export function writeSegment(
  body: readonly Instruction[],
  { layout, symbols, watched }: { readonly layout: RegisterLayout; readonly symbols: Symbols; readonly watched: boolean },
  attempt: (i: Instruction, write: () => void) => void,
  careful = false,
): Written {
  const writer = new Writer(layout, symbols, watched, careful);
  for (const i of body) {
    attempt(i, () => writer.instruction(i, () => rules[i.opcode.form]?.(writer, i.operands, i.opcode.modifiers, i)));
  }
  return writer;
}

/** Makes functions of texts. Nothing in them comes from a PTX file but numbers. */
export function buildSegments(texts: readonly string[], names: readonly string[]): readonly Segment[] {
  const make = makeFunction(
    "H",
    `"use strict";const {${Object.keys(helpers).join()}}=H;${texts.join("\n")}\nreturn [${names.join()}];`,
  ) as (h: typeof helpers) => readonly Segment[];
  return make(helpers);
}
