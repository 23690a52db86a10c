/** `warpsmith/build`: kernels that leave the house, with launchers for Node, C++ and Python. docs/build.md. */

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
export { type Build, type BuildEntries, type BuildOptions, build, isBuild } from "./build.ts";
export type { BuildEntry } from "./describe-kernel.ts";
export type { BuildLanguage, WriteOptions, WrittenBuild } from "./write-build.ts";
