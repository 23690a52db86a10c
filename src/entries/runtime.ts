/** `warpsmith/runtime`: devices, tensors and kernels that are built already. Nothing that traces, transforms or compiles. docs/build.md. */
import "./shared/device-kinds.ts";
import { setSourceReader } from "../base/diag/index.ts";
import { readSource } from "./shared/read-source.ts";

setSourceReader(readSource);

export * from "../runtime/public.ts";
export {
  type ArgumentSlot,
  type BuildManifest,
  type Built,
  type BuiltFile,
  type BuiltKernel,
  type BuiltLaunchConfig,
  type BuiltParameter,
  type ConstantSlot,
  type ExtentSlot,
  type Formula,
  type FormulaInput,
  type FormulaOperation,
  type KernelManifest,
  type LoadBuiltOptions,
  loadBuilt,
  type MapSlot,
  type ScalarParameter,
  type Slot,
  type TensorParameter,
} from "../tools/built/index.ts";
