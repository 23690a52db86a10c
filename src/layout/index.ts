/** Layouts: which element is at which place, as linear maps over bits. docs/layouts.md is the page. */
export { type Blocked, blocked, identity, repeated, strided } from "./blocked.ts";
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
export {
  addressing,
  linearOf,
  nvmmaShared,
  type Padding,
  paddedShared,
  plainShared,
  rowMajor,
  type SharedLayout,
  sharedBytes,
  sharedLayout,
  swizzle,
  swizzledShared,
} from "./shared.ts";
export { type SharedAccess, sharedAccess, wavefronts } from "./shared-access.ts";
export { type Round, type ThreadFunction, valueAt } from "./shuffle-rounds.ts";
export { parseLayout, printLayout } from "./text.ts";
export {
  type AutoLayout,
  autoOfRank,
  elementPlaces,
  elementsPerThread,
  isAuto,
  layoutText,
  linearLayout,
  type MatrixSpread,
  readSpread,
  repeatedLanes,
  rowsEach,
  type Sharers,
  type SliceLayout,
  type Spread,
  sharersAlong,
  sliceOf,
  type TileLayout,
  type WgmmaLayout,
  warpgroupsOf,
} from "./tile-layout.ts";
