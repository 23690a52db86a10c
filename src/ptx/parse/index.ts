export type { FormTraits, ReadForm, ReadFormName } from "../isa/read/index.ts";
export { readForm, readFormNames, readForms } from "../isa/read/index.ts";
export { clockRegisters, specialTypes } from "../isa/read/special-registers.ts";
export { parsePtx } from "./parse-ptx.ts";
export { printPtxTree, printReadInstruction } from "./print-tree.ts";
export type * from "./tree.ts";
export { inPtxAt, refuseUnknown, spansOf } from "./tree-errors.ts";
