import { join } from "node:path";
import { describe, it } from "vitest";
import { openDevice } from "warpsmith";
import type { KernelCheck } from "../../examples/kernels/kernel-check.ts";
import { rotating } from "../support/amount.ts";

const file = join(import.meta.dirname, "../../examples/kernels/checks.ts");
const { checks } = (await import(/* @vite-ignore */ file)) as { readonly checks: readonly KernelCheck[] };

describe("the kernels of examples/kernels on the emulator", () => {
  const run =
    (check: "normal" | "strict") =>
    async (_: string, c: KernelCheck): Promise<void> => {
      await using gpu = await openDevice("emulator", { check });
      await c.run(gpu);
    };
  const all = checks.map((c) => [c.name, c] as const);
  /** Their parts are those of ch5-warp-specialized, and of cases of tiles. */
  const large = ["gemm-fast", "gemm-split-k", "matmul-persistent", "tile-attention"];
  it.each(all.filter(([name]) => !large.includes(name)))("%s, check strict", run("strict"));
  it.each(all.filter(([name]) => large.includes(name)))("%s, check strict", rotating, run("strict"));
  it.each(all)("%s, check normal", rotating, run("normal"));
});
