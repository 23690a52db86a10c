import { join } from "node:path";
import { describe, it } from "vitest";
import { openDevice } from "warpsmith";
import type { KernelCheck } from "../../examples/kernels/kernel-check.ts";

const file = join(import.meta.dirname, "../../examples/kernels/checks.ts");
const { checks } = (await import(/* @vite-ignore */ file)) as { readonly checks: readonly KernelCheck[] };

describe.each(["normal", "strict"] as const)("the kernels of examples/kernels on the emulator, check %s", (check) => {
  it.each(checks.map((c) => [c.name, c] as const))("%s", async (_, c) => {
    await using gpu = await openDevice("emulator", { check });
    await c.run(gpu);
  });
});
