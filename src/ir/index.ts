export type {
  AnyOp,
  Attrs,
  AttrValue,
  Check,
  Graph,
  GraphParam,
  Literal,
  LogSite,
  Op,
  Operands,
  OperandValue,
  RawOp,
  Region,
  SharedBuffer,
  Value,
} from "./graph.ts";
export { innermostOp } from "./innermost.ts";
export { anyOp, type Ids, makeOp, makeValue, type OpParts, withParts } from "./make-op.ts";
export type { AttrSpec, Effect, OperandSpec, OpSpec, Participants, ResultSpec } from "./ops/define-ops.ts";
export { type OpName, type OpTable, opNames, opSpec, ops } from "./ops/index.ts";
export type { LaunchBounds, ProgramOptions, RegisterBounds, Switches } from "./options.ts";
export { type ParseOptions, parseGraph } from "./parse.ts";
export { type PrintOptions, printGraph, printOpHead, printValue } from "./print.ts";
export {
  type AccType,
  accColumns,
  accElements,
  bitsOf,
  integerRange,
  isAcc,
  isFloat,
  isInteger,
  isPointer,
  isScalar,
  isSigned,
  type PointerType,
  pointerTypes,
  type ScalarType,
  sameType,
  scalarTypes,
  type Type,
  typeName,
} from "./types.ts";
export { type Misuse, misusedAccumulator } from "./verify/accumulators.ts";
export { InvariantError, verify } from "./verify.ts";
export { eachOperand, mapOperands, operandList, usesAny, usesSome, walkOps } from "./walk.ts";
