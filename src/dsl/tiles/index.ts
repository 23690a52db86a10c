export {
  BlockedLayout,
  type BlockedOptions,
  DotOperandLayout,
  Layout,
  LinearLayout,
  type LinearOptions,
  SliceLayout,
  WGMMALayout,
} from "./layouts.ts";
export { type TileInfo, tile } from "./tile.ts";
