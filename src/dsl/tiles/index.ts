export { type BankConflictOptions, Layout } from "./layout.ts";
export {
  BlockedLayout,
  type BlockedOptions,
  DotOperandLayout,
  type DotOperandOptions,
  LinearLayout,
  type LinearOptions,
  MMALayout,
  type MMALayoutOptions,
  SliceLayout,
  WGMMALayout,
  type WGMMALayoutOptions,
} from "./layouts.ts";
export {
  NVMMASharedLayout,
  type NVMMASharedOptions,
  PaddedSharedLayout,
  type PaddedSharedOptions,
  SharedLayout,
  SwizzledSharedLayout,
  type SwizzledSharedOptions,
} from "./shared-layouts.ts";
export { type TileInfo, tile } from "./tile.ts";
