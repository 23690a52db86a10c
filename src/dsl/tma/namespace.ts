import { optionsOf } from "../../diag/index.ts";
import { isRowMajor } from "../../layout/modes.ts";
import { elementBytes } from "../../tensor-map.ts";
import type { DType } from "../../types.ts";
import { SharedViewObject } from "../memory/shared-view.ts";
import { TensorObject } from "../memory/tensor.ts";
import type { SharedView, Tensor } from "../memory/types.ts";
import { checkOptionsHere, describe } from "../numbers/describe.ts";
import { type Mbarrier, MbarrierObject, readPending } from "../sync/index.ts";
import { failHere } from "../trace/fail-here.ts";
import { ownNamespace } from "../trace/staged.ts";
import { currentTrace } from "../trace/trace.ts";

/** The global side of a bulk copy, which lies in one piece. W4512. */
function sourceOf(src: Tensor): { readonly shape: readonly number[]; readonly view: TensorObject } {
  const view: unknown = src;
  if (!(view instanceof TensorObject)) return failHere("W4512", { what: "the source" });
  const dims = view.parts.dims.flatMap((d) =>
    typeof d.extent === "number" && typeof d.stride === "number" ? [{ extent: d.extent, stride: d.stride }] : [],
  );
  const bytes = elementBytes[view.dtype];
  const layout = dims.map((d) => [{ extent: d.extent, stride: d.stride * bytes }]);
  if (dims.length !== view.rank || !isRowMajor(layout, bytes)) failHere("W4512", { what: view.what });
  return { shape: dims.map((d) => d.extent), view };
}

interface WaitOptions {
  /** True: only until the sources have been read and may be overwritten. Default false: until the writes are done. */
  read?: boolean;
}
const waitOptions = optionsOf<WaitOptions>("tma.wait()", { read: true });

/** Groups of bulk copies, and bulk copies without a tensor map. PTX ISA 9.7.9.25. */
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
  /** A contiguous copy without a tensor map; multiples of 16 bytes. Completes `dst.bytes` on `mbarrier`. W4511–W4513. */
  bulkLoad<D extends DType>(dst: SharedView<D>, src: Tensor<D>, mbarrier: Mbarrier): void {
    const trace = currentTrace("tma.bulkLoad");
    const target: unknown = dst;
    if (!(target instanceof SharedViewObject)) failHere("W4516", { given: describe(target) });
    const bar: unknown = mbarrier;
    if (!(bar instanceof MbarrierObject)) failHere("W4517", { given: describe(bar) });
    const source = sourceOf(src);
    const same = source.shape.join() === target.shape.join() && source.view.dtype === target.dtype;
    if (!same)
      failHere("W4513", {
        dst: `${target.dtype}: ${target.shape.join(", ")}`,
        src: `${source.view.dtype}: ${source.shape.join(", ")}`,
      });
    if (target.swizzle !== "none" || !isRowMajor(target.layout, elementBytes[target.dtype]))
      failHere("W4512", { what: target.what });
    if (target.bytes % 16 !== 0) failHere("W4511", { bytes: target.bytes });
    trace.emit("copy.bulk", { dst: target.used(trace), src: source.view.parts.value, bar: bar.address }, {});
  },
});
