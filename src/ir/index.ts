/**
 * The op graph: types, values, ops and regions as data; the table of ops, from which builder, printer, parser, verifier and docs/ir.md come; flow and walks. It
 * knows no PTX, and nothing of how a graph is traced or lowered. arith.ts is its second face, for those who write ops: arithmetic on values.
 */
export type { Emitter } from "./arith.ts";
export { firstPolicies, otherPolicies, policyText, readPolicy } from "./cache-hint.ts";
export {
  type Channel,
  carriedInto,
  channelsOf,
  deciders,
  decidingRegion,
  endsThread,
  type FlowEdge,
  type FlowEnd,
  firstIndex,
  flowEdges,
  isLoop,
  keepFlow,
  sources,
  yielded,
} from "./flow.ts";
export {
  type FragmentType,
  fragmentExtents,
  fragmentRegisters,
  isWmmaInput,
  isWmmaShape,
  isWmmaSum,
  type WmmaFragment,
  type WmmaShape,
  wmmaExists,
  wmmaHas,
} from "./fragment-type.ts";
export type {
  AnyOp,
  Attrs,
  AttrValue,
  Check,
  Graph,
  GraphParam,
  Literal,
  LogForm,
  LogSite,
  Op,
  Operands,
  OperandValue,
  RawOp,
  Region,
  SharedBuffer,
  Value,
} from "./graph.ts";
export { logForms, logName, type MarkName, markTypes, timelineName, type WaitSite, watchNames } from "./graph.ts";
export { anyOp, type Ids, makeOp, makeValue, type OpParts, withParts } from "./make-op.ts";
export {
  isMmaInput,
  isMmaSum,
  type MmaDepth,
  type MmaInput,
  mmaDepth,
  mmaExists,
  mmaSumRegisters,
  mmaWidth,
} from "./mma-shapes.ts";
export { checkOps } from "./ops/check.ts";
export type {
  AttrSpec,
  Effect,
  GraphTable,
  OperandSpec,
  OpSpec,
  Participants,
  RegionFlow,
  ResultSpec,
  Terminator,
  WaitKind,
} from "./ops/define-ops.ts";
export { type MachineOpName, type OpName, type OpTable, opNames, opSpec, ops, type TileOpName, waitOf } from "./ops/index.ts";
export type { mbarrierOps } from "./ops/mbarrier.ts";
export type { Eviction, memoryOps } from "./ops/memory.ts";
export type { mmaOps } from "./ops/mma.ts";
export type { timelineOps } from "./ops/timeline.ts";
export type { tmaOps } from "./ops/tma.ts";
export type { watchOps } from "./ops/watch.ts";
export type { wgmmaOps } from "./ops/wgmma.ts";
export type { wmmaOps } from "./ops/wmma.ts";
export type { LaunchBounds, ProfileRecords, ProgramOptions, RegisterBounds, Switches } from "./options.ts";
export { type PrintOptions, printGraph } from "./print.ts";
export { type OpenRegion, Recorder } from "./recorder.ts";
export {
  type AccType,
  accColumns,
  accElements,
  bitsOf,
  integerRange,
  isAcc,
  isAggregate,
  isFloat,
  isFragment,
  isInteger,
  isOperand,
  isPointer,
  isScalar,
  isSigned,
  isTile,
  isView,
  memoryType,
  type PointerType,
  registerType,
  type ScalarType,
  sameType,
  scalarTypes,
  type Type,
  typeName,
} from "./types.ts";
export { type Misuse, misusedAccumulator } from "./verify/accumulators.ts";
export { InvariantError, type Level, verify } from "./verify.ts";
export {
  isMatrix,
  type MatrixType,
  type OperandType,
  type SharedViewType,
  type TensorDim,
  type TensorViewType,
  type TileType,
  type ViewType,
} from "./view-types.ts";
export { eachOperand, innermostOp, mapOperands, operandList, tiedOperand, usesAny, usesSome, walkOps } from "./walk.ts";
