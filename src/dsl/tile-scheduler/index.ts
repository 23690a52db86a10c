export type { TileSchedulerOptions } from "./options.ts";
export { type Tile, type TileIndex, TileScheduler } from "./tile-scheduler.ts";
