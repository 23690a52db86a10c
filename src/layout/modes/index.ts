/**
 * How the elements of a view of memory lie: each dimension is one or more modes with extents and strides, plain or swizzled. Types of views have these
 * (ir), the tracer makes and slices them, passes turn them into addresses. Layouts of registers and threads are linear maps: ../index.ts.
 */
export {
  chunkBytes,
  type Dimension,
  extentOf,
  hardwareSwizzle,
  isDense,
  isRowMajor,
  isXor,
  type Layout,
  type Mode,
  neighboursFrom,
  offsetIn,
  padded,
  panelled,
  patternBytes,
  regroup,
  rowMajor,
  shapeOf,
  slice,
  spanBytes,
  spanOf,
  stepped,
  stepsAdd,
  swizzleBits,
  swizzled,
  swizzleMask,
  type ViewSwizzle,
  xorOf,
} from "./modes.ts";
export { bitsLayout, joinedLayout, reshapedLayout, splitLayout, transposedLayout } from "./rearranged.ts";
