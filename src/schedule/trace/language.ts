/** What an author writes in a program. */
export { type AllocOptions, alloc } from "./alloc.ts";
export type { AnnotationValues } from "./annotations.ts";
export { type BlockAxis, reduce, spatial } from "./axes.ts";
export { annotate, block, init, reads, where, writes } from "./blocks.ts";
export { effect, intrinsic } from "./intrinsics.ts";
export { bind, grid, serial, unrolled, vectorized } from "./loops.ts";
export { floorDiv } from "./numbers.ts";
