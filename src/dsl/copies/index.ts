export { type AsyncCopyOptions, asyncCopy, type PlaceCopyOptions } from "./async-copy.ts";
