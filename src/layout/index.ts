/** Layouts: which element is at which place, as linear maps over bits. docs/layouts.md is the page. */

export { sectorsOf, sharedWavefrontsOf } from "./access-cost.ts";
export { isPowerOfTwo, reduce } from "./bits.ts";
export { type Blocked, blocked, identity, repeated, strided } from "./blocked.ts";
export { coalescedIn, coalescedOver } from "./coalesced.ts";
export {
  compose,
  divideLeft,
  holds,
  image,
  inverse,
  invertAndCompose,
  isInjective,
  isSurjective,
  kernel,
  leftInverse,
  product,
  pseudoInverse,
  rename,
  reshape,
  rightInverse,
  transpose,
} from "./compose.ts";
export { type Conversion, conversion, type Rename, type Shared, type Shuffle } from "./conversion.ts";
export { drawSvg, drawText } from "./draw.ts";
export { expand, fit, registersWithin, slice, vectorWidth } from "./fit.ts";
export {
  apply,
  applyTo,
  equal,
  type InputDimension,
  type LinearLayout,
  linear,
  type Point,
  type Shape,
} from "./linear-layout.ts";
export {
  matrixAddresses,
  matrixFragment,
  matrixGrid,
  mmaAccumulator,
  mmaOperand,
  wgmmaAccumulator,
  wgmmaOperand,
} from "./matrix-fragments.ts";
export { instructionK, inUnits, isProblem, type MatrixStrides, type Problem, stridesAs } from "./matrix-strides.ts";
export { type Round, type ThreadFunction, valueAt } from "./shuffle-rounds.ts";
export { parseLayout, printLayout } from "./text.ts";
export {
  neighboursAtOnce,
  operandLines,
  type SharedPlaces,
  sharedRunsOf,
  sharedTileAccess,
  sharedTileCost,
  type TileAccess,
} from "./tile-access.ts";
export { type ConversionCost, conversionCost, tileConversion } from "./tile-conversion.ts";
export {
  type AutoLayout,
  autoOfRank,
  elementPlaces,
  elementRegisters,
  elementsPerThread,
  expandedAxis,
  isAuto,
  layoutRank,
  layoutText,
  linearLayout,
  type MatrixSpread,
  type MmaLayout,
  matrixDimension,
  partShape,
  readSpread,
  repeatedLanes,
  repeatedWarps,
  rowsEach,
  type Sharers,
  type SliceLayout,
  type Spread,
  sharedOut,
  sharersAlong,
  sliceOf,
  type TileLayout,
  type WgmmaLayout,
  warpgroupsOf,
  warpsOf,
} from "./tile-layout.ts";
export { banks, type Served, served, wavefronts, wordBytes } from "./wavefronts.ts";
