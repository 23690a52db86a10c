/** What intrinsics do to the parts of buffers that they take. */
import { accessesOf } from "../ir/regions.ts";
import type { Intrinsic } from "../ir/types.ts";
import { intrinsicOf, type TensorIntrinsic } from "./registry.ts";

const used = new WeakMap<TensorIntrinsic, readonly { readonly reads: boolean; readonly writes: boolean }[]>();

/** Whether an intrinsic reads and writes each of the parts that it takes, as its description says. */
export function intrinsicAccess(call: Intrinsic): readonly { readonly reads: boolean; readonly writes: boolean }[] {
  const called = intrinsicOf(call.name, call.span ? [call.span] : undefined);
  const known = used.get(called);
  if (known) return known;
  const { params, body } = called.description;
  const { reads, writes } = accessesOf(body, new Map());
  const made = params.map((buffer) => ({
    reads: reads.some((r) => r.buffer === buffer),
    writes: writes.some((r) => r.buffer === buffer),
  }));
  used.set(called, made);
  return made;
}

/**
 * Whether all that an intrinsic writes lies in registers, which each thread has of its own: like a store to them it runs in all threads, so that they all
 * have what any of them may read.
 */
export const fillsRegisters = (call: Intrinsic): boolean =>
  intrinsicAccess(call).every(({ writes }, n) => {
    const scope = call.args[n]?.buffer.scope;
    return !writes || (scope !== "shared" && scope !== "global");
  });
