/** The checks that a launch may run under (docs/checks.md). */
import { type Monitor, monitorOf, type Rule } from "../monitor.ts";
import type { Program } from "../program.ts";
import { aligned } from "./aligned.ts";
import type { CheckContext } from "./context.ts";
import { exits } from "./exits.ts";
import { mbarrierMemory } from "./mbarrier-memory.ts";
import { orderRules } from "./order/index.ts";
import { uninitialisedReads } from "./poison.ts";
import { registerCounts } from "./register-counts.ts";
import { Reports } from "./reports.ts";
import { undefinedRegisters } from "./undefined-registers.ts";
import { wgmmaRegisters } from "./wgmma-registers.ts";

export type { CheckContext } from "./context.ts";

/**
 * `normal` reports what is wrong by the PTX ISA and what practice does not tolerate; `strict` also what practice tolerates though
 * the manual does not promise it.
 */
export type CheckMode = "off" | "normal" | "strict";

export interface Check {
  readonly monitor: Monitor;
  readonly reports: Reports;
}

const rules: readonly ((c: CheckContext) => Rule)[] = [
  uninitialisedReads,
  undefinedRegisters,
  wgmmaRegisters,
  mbarrierMemory,
  exits,
  registerCounts,
  aligned,
];

/** The checks of one launch; undefined where there are none. */
export function createCheck(program: Program, mode: CheckMode): Check | undefined {
  if (mode === "off") return undefined;
  const reports = new Reports(program);
  const context: CheckContext = { program, strict: mode === "strict", reports };
  return { monitor: monitorOf([...rules.map((make) => make(context)), ...orderRules(context)]), reports };
}
