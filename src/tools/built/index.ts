/** A build at run time: its manifest, what it takes, its launches. It knows no compiler. */
export { evaluate, type LaunchNumbers } from "./grid.ts";
export { type Built, type BuiltKernel, type BuiltLaunchConfig, type LoadBuiltOptions, loadBuilt } from "./load-built.ts";
export {
  type ArgumentSlot,
  type BuildManifest,
  type BuiltFile,
  type BuiltParameter,
  type ConstantSlot,
  type ExtentSlot,
  type Formula,
  type FormulaInput,
  type FormulaOperation,
  type KernelManifest,
  type MapSlot,
  manifestFile,
  manifestVersion,
  type ScalarParameter,
  type Slot,
  type TensorParameter,
} from "./manifest.ts";
export { readManifest, sha256 } from "./read-build.ts";
