export {
  BlockedLayout,
  type BlockedOptions,
  DotOperandLayout,
  type DotOperandOptions,
  Layout,
  LinearLayout,
  type LinearOptions,
  MMALayout,
  type MMALayoutOptions,
  SliceLayout,
  WGMMALayout,
  type WGMMALayoutOptions,
  writtenLayout,
} from "./layouts.ts";
export { type TileInfo, tile } from "./tile.ts";
