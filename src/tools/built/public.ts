/** What the manifest of a build says, for programs that read it. */
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
