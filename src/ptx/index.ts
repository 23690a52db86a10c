/** PTX as typed data: instructions, operands, registers and modules, the table of forms; printed and validated. PTX that is read is parse/index.ts. */
export { type FormModifiers, type FormOperands, type Guard, type Instruction, instruction } from "./instruction.ts";
export type { FormSpec, OperandForm, OperandKind } from "./isa/define-forms.ts";
export { type FormName, formNames, formSpec } from "./isa/index.ts";
export type { Comment, Entry, EntryDirectives, Inlined, Label, Loc, Param, PtxModule, Statement } from "./module.ts";
export { linesBehind, outsideNote } from "./notes.ts";
export {
  type Address,
  address,
  f32,
  f64,
  type Imm,
  int,
  type LabelRef,
  type NotPred,
  not,
  type Operand,
  type Pair,
  pair,
  type Sink,
  type Special,
  type SpecialRegister,
  type SymbolRef,
  sink,
  special,
  symbol,
  type TensorAddress,
  tensorAddress,
  type Vec,
  vec,
} from "./operands.ts";
export { printInstruction, printPtx } from "./print.ts";
export { type Reg, type RegClass, reg, regClasses } from "./regs.ts";
export { validatePtx } from "./validate.ts";
export { leastVersion } from "./version.ts";
