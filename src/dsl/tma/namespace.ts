import { optionsOf } from "../../base/diag/index.ts";
import { checkOptionsHere } from "../numbers/describe.ts";
import { readPending } from "../sync/index.ts";
import { ownNamespace } from "../trace/staged.ts";
import { currentTrace } from "../trace/trace.ts";
import { bulkCopies } from "./bulk.ts";

interface WaitOptions {
  /** True: only until the sources have been read and may be overwritten. Default false: until the writes are done. */
  read?: boolean;
}
const waitOptions = optionsOf<WaitOptions>("tma.wait()", { read: true });

/**
 * Groups of bulk copies, and bulk copies without a tensor map. PTX ISA 9.7.9.25.
 *
 * @example
 * ```ts
 * const copy = kernel({ block: 32, grid: 1 }, (x: Tensor<"f32", 1>) => {
 *   const s = sharedMemory.alloc("f32", [32]);
 *   s[threadIdx.x] = f32(threadIdx.x);
 *   fence.proxyAsync();
 *   syncThreads();
 *   if (threadIdx.x === 0) {
 *     tma.bulkStore(x, s);
 *     tma.commit();
 *     tma.wait(0);
 *   }
 * });
 *
 * await using gpu = await openDevice();
 * copy.launch({}, gpu.zeros("f32", [32]));
 * ```
 */
export const tma = ownNamespace({
  /** Closes this thread's group of stores and reductions. */
  commit(): void {
    currentTrace("tma.commit").emit("bulk.commit_group", {}, {});
  },
  /** Waits until at most `pending` bulk groups of this thread are unfinished; `read: true` only until their sources have been read. W4510. */
  wait(pending: number, options: WaitOptions = {}): void {
    const trace = currentTrace("tma.wait");
    checkOptionsHere(options, waitOptions);
    trace.emit(
      "bulk.wait_group",
      {},
      { pending: readPending(pending, "the number of pending groups"), read: options.read ?? false },
    );
  },
  ...bulkCopies,
});
