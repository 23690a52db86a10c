/** `warpsmith/schedule`: programs of loop nests and blocks, and their rewriting. */
export type { Annotations, Program, ThreadTag } from "./ir/types.ts";
export type { Buffer, BufferRegion, RegionRange } from "./trace/buffers.ts";
export {
  type AllocOptions,
  alloc,
  annotate,
  type BlockAxis,
  bind,
  block,
  effect,
  floorDiv,
  grid,
  init,
  intrinsic,
  reads,
  reduce,
  serial,
  spatial,
  unrolled,
  vectorized,
  where,
  writes,
} from "./trace/language.ts";
export { program, type Shapes } from "./trace/program.ts";
