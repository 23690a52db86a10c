/** Which buffers in shared memory lie in the same bytes. */
import type { Buffer } from "../ir/types.ts";
import { sharedBytesOf } from "./allocate.ts";

/** Whether two packed buffers have bytes in common. */
export const shareBytes = (a: Buffer, b: Buffer): boolean =>
  a.at !== undefined && b.at !== undefined && a.at < b.at + sharedBytesOf(b) && b.at < a.at + sharedBytesOf(a);
