import type { Instruction, ReadFormName } from "../../../ptx/parse/index.ts";
import type { Operating } from "../operands.ts";
import type { Operation } from "../step.ts";

/** Prepares one instruction; what it gives runs each time. */
export type OperationRule = (c: Operating, i: Instruction) => Operation;
export type OperationRules = Readonly<Partial<Record<ReadFormName, OperationRule>>>;

/** Instructions that do nothing here: hints. */
export const nothing: OperationRule = () => () => "quiet";
/** Nothing to do, because launches are in order, but something to tell. */
export const gridDependency: OperationRule = (_, i) => (warp, mask) => {
  warp.block.launch.monitor?.gridDependency(warp, mask, i);
  return "quiet";
};
/** The same, because operations take effect in order. */
export const fence: OperationRule = (_, i) => (warp, mask) => {
  warp.block.launch.monitor?.fence(warp, mask, i);
  return "quiet";
};
