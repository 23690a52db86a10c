export { type AsyncCopyOptions, asyncCopy, type PlaceCopyOptions } from "./async-copy.ts";
export type { RemoteReduceOp } from "./remote-store.ts";
