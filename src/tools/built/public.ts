/** What programs that load a build have of this room. */
export { type Built, type BuiltKernel, type BuiltLaunchConfig, type LoadBuiltOptions, loadBuilt } from "./load-built.ts";
export type {
  ArgumentSlot,
  BuildManifest,
  BuiltFile,
  BuiltParameter,
  ConstantSlot,
  ExtentSlot,
  Formula,
  FormulaInput,
  FormulaOperation,
  KernelManifest,
  MapSlot,
  ScalarParameter,
  Slot,
  TensorParameter,
} from "./manifest.ts";
