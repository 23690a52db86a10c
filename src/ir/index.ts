export type {
  AnyOp, Attrs, AttrValue, Graph, GraphParam, LaunchBounds, Literal, LogSite, Op, Operands, OperandValue, RawOp, Region, SharedBuffer, Value,
} from "./graph.ts";
export { anyOp, type Ids, makeOp, makeValue, type OpParts, withParts } from "./make-op.ts";
export type { AttrSpec, Effect, OperandSpec, OpSpec, ResultSpec } from "./ops/define-ops.ts";
export { type OpName, type OpTable, opNames, ops, opSpec } from "./ops/index.ts";
export {
  accElements, type AccType, bitsOf, isAcc, isFloat, isInteger, isPointer, isScalar, isSigned, type PointerType, sameType, type ScalarType, scalarTypes, type Type, typeName,
} from "./types.ts";
export { mapOperands, operandList, walkOps } from "./walk.ts";
export { parseGraph, type ParseOptions } from "./parse.ts";
export { printGraph, printOpHead, type PrintOptions, printValue } from "./print.ts";
export { InvariantError, verify } from "./verify.ts";
export { type Misuse, misusedAccumulator } from "./verify/accumulators.ts";
