/**
 * PTX as text that is read: any compiler's, and the author's in a kernel. A tree, matched against a table of what each instruction takes (../isa/read), names of
 * C++ in it. The emulator, foreign PTX and inline PTX stand on this face; PTX that is written, as typed data, is ../index.ts.
 */
export { formOperands } from "../isa/read/form-operands.ts";
export type { FormTraits, ReadForm, ReadFormName } from "../isa/read/index.ts";
export { computes, type ReadOperandKind, readForm, readFormNames } from "../isa/read/index.ts";
export { clockRegisters } from "../isa/read/special-registers.ts";
export { cppName, findNamed, shortened, shortName } from "../names/index.ts";
export { linesBehind, outsideNote } from "../notes.ts";
export { shapeNamed, spaceNamed } from "./modifiers.ts";
export { type Fragment, type Given, otherStatements, parseFragment, type Word, wordsOf } from "./parse-fragment.ts";
export { parsePtx } from "./parse-ptx.ts";
export { printPtxTree, printReadInstruction } from "./print-tree.ts";
export { registersOf, registersUsed, slotType } from "./registers-used.ts";
export { traitsOf } from "./traits.ts";
export type * from "./tree.ts";
export type {
  Address,
  Immediate,
  Instruction,
  Operand,
  PtxType,
  Register,
  Scalar,
  SymbolRef,
  TensorAddress,
  Variable,
} from "./tree.ts";
export { inPtxAt, refuseUnknown, spansOf } from "./tree-errors.ts";
export { b16, b32, b64, b128, bf16, type DataType, dataType, doubled, f16, f32, f64, pred, u8, u16, u32, u64 } from "./types.ts";
