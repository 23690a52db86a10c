/** Statements that are no loops, blocks or stores: calls of tensor intrinsics, and effects. */
import { type BufferRegion, regionsOf } from "./buffers.ts";
import { ownFunction } from "./functions.ts";
import { whole } from "./numbers.ts";
import { failGiven } from "./symbolic.ts";
import { currentTracing } from "./tracing.ts";

/** A call of a registered tensor intrinsic on parts of buffers, in the order of its description's parameters. W5508. */
export const intrinsic: (name: string, ...args: readonly BufferRegion[]) => void = ownFunction((name: string, ...given) => {
  const tracing = currentTracing("intrinsic(…)");
  if (typeof name !== "string" || name === "")
    failGiven("the first argument of intrinsic(…)", "its name", name, 'write `intrinsic("wmma_sync", …)`');
  const args = regionsOf("intrinsic(…)", given).map((r) => r.region);
  for (const { ranges } of args) for (const r of ranges) for (const e of [r.min, r.extent]) tracing.use(e);
  tracing.emit({ kind: "intrinsic", name, args, span: tracing.here() });
  for (const { buffer } of args) tracing.writes(buffer);
});

/** What orders threads and asynchronous copies, and computes nothing: `effect("syncThreads")`. W5508. */
export const effect: (op: string, ...args: readonly number[]) => void = ownFunction(
  (op: string, ...given: readonly unknown[]) => {
    const tracing = currentTracing("effect(…)");
    if (typeof op !== "string" || op === "")
      failGiven("the first argument of effect(…)", "its name", op, 'write `effect("syncThreads")`');
    tracing.emit({
      kind: "effect",
      op,
      args: given.map((x) => tracing.use(whole(x, "an argument of effect(…)"))),
      span: tracing.here(),
    });
  },
);
