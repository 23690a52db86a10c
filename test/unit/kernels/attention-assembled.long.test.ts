import { describe, expect, it } from "vitest";
import { f32, helper } from "warpsmith";
import { type AttentionOptions, attentionKernel } from "warpsmith/kernels";
import { assemble, noPtxas } from "../../support/ptxas.ts";
import { openFake } from "../cuda/open-fake.ts";

const bias = helper((score: number, query: number, key: number, head: number) => score - f32(head + 1) * f32(query - key));

const sizes = [
  [64, 64],
  [96, 96],
  [128, 128],
  [192, 128],
  [256, 256],
] as const;
const choices: Readonly<Record<string, AttentionOptions>> = {
  full: {},
  causal: { causal: true },
  "in a window": { causal: true, window: 512 },
  "with a bias": { score: bias },
};
const all = Object.keys(choices).flatMap((name) => sizes.map(([d, dv]) => [name, d, dv] as const));

describe.skipIf(noPtxas !== undefined)("kernels of attention through ptxas", () => {
  it.each([...all.map((one) => [...one, 16384] as const), ["full", 128, 128, 1000]] as const)(
    "%s, heads of %d and %d, %d keys: nothing spills, no product waits for another",
    async (name, d, dv, length) => {
      const { device } = await openFake();
      const make = (width: number) => device.empty("bf16", [1, 2, length, width]);
      const logSumExp = device.empty("f32", [1, 2, length]);
      const { kernel, args } = attentionKernel(make(d), make(d), make(dv), {
        ...choices[name],
        logSumExp,
      } as AttentionOptions<"bf16">);
      const result = assemble(kernel.compile(...(args as Parameters<typeof kernel.compile>)).ptx);
      expect(result?.log).not.toMatch(/error/);
      expect(result).toMatchObject({ ok: true, spills: 0, warnings: [] });
    },
  );
});
