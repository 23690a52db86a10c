export type { TileSchedulerOptions } from "./options.ts";
export { type TileIndex, TileScheduler } from "./tile-scheduler.ts";
