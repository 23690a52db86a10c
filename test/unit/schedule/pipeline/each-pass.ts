import { it } from "vitest";
import type { TensorCorePipeline } from "warpsmith/schedule";
import { agree } from "../agree.ts";
import { expectSame, inOrder } from "../in-order.ts";

/**
 * Each pass that changes something computes the same in order, and from `to-matrix-ops` on as a kernel, too. Before there are intrinsics threads compute
 * element by element, which takes a device without a GPU long: fusions.long.test.ts runs those kernels, at its size.
 */
export function eachPassComputesTheSame(name: string, { passes }: TensorCorePipeline): void {
  const [first] = passes;
  const wanted = first && inOrder(first.program);
  const made = passes.findIndex((p) => p.name === "to-matrix-ops");
  for (const [n, pass] of passes.entries()) {
    if (n === 0 || passes[n - 1]?.program === pass.program) continue;
    it(`${name}: ${pass.name}`, async () => {
      expectSame(inOrder(pass.program), wanted);
      if (n >= made) await agree(pass.program);
    });
  }
}
