/** What a tensor map says, as data: shared with kernels, so it stands in `src/tensor-map.ts`. */
export type { Im2colMap, Interleave, L2Promotion, MapBase, TiledMap } from "../tensor-map.ts";
