import { expect, it } from "vitest";
import { type i32, kernel, Pipeline, type Static, type Tensor, TileScheduler, tensorSpec, threadIdx } from "warpsmith";

/** What goes wrong is a case of the emulator: test/cases/debug.ts. */
it("counts that cannot be negative, and kernels without debug, are not checked", () => {
  const make = (debug: boolean) =>
    kernel({ block: 32, debug }, function k(x: Tensor<"i32", 1>, n: i32, known: Static<boolean>) {
      const stage = new Pipeline({ stages: 3 }).consumer();
      const by = known ? threadIdx.x & 7 : n;
      for (const { m } of new TileScheduler([by, 2], { mode: "persistent", every: 8, from: by })) x[0] = stage.next(by).index + m;
    });
  const asserts = (debug: boolean, known: boolean): number =>
    make(debug)
      .compile(tensorSpec("i32", [1]), 1, known)
      .graph.toString()
      .match(/assert %/g)?.length ?? 0;
  expect(asserts(false, false)).toBe(0);
  const beside = asserts(true, true);
  expect(asserts(true, false)).toBe(beside + 3);
});
