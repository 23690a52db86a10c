export {
  BlockedLayout,
  type BlockedOptions,
  DotOperandLayout,
  type DotOperandOptions,
  Layout,
  LinearLayout,
  type LinearOptions,
  SliceLayout,
  WGMMALayout,
  type WGMMALayoutOptions,
} from "./layouts.ts";
export { type TileInfo, tile } from "./tile.ts";
