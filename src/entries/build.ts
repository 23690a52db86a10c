/** `warpsmith/build`: kernels that leave the house, with launchers for Node, C++ and Python. docs/build.md. */

export { type Build, type BuildEntries, type BuildOptions, build, isBuild } from "../build/build.ts";
export type { BuildEntry } from "../build/describe-kernel.ts";
export type { BuildLanguage, WriteOptions, WrittenBuild } from "../build/write-build.ts";
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
} from "../built/index.ts";
