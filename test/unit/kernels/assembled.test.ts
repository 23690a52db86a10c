import { describe, expect, it } from "vitest";
import { helper } from "warpsmith";
import { matmulKernel } from "warpsmith/kernels";
import { assemble, noPtxas } from "../../ptxas.ts";
import { openFake } from "../cuda/open-fake.ts";

const linear = helper(
  (value: number, { bias, residual }: { readonly bias: number; readonly residual: number }) =>
    Math.max(value + bias, 0) + residual,
);

/** What ptxas says of the kernel that `matmul` chooses. */
async function assembled(layout: string, n: number, fused: boolean) {
  const { device } = await openFake();
  const [m, k] = [1024, 512];
  const matrix = (turned: boolean, rows: number, columns: number) =>
    turned ? device.empty("bf16", [columns, rows]).transpose(1, 0) : device.empty("bf16", [rows, columns]);
  const [a, b] = [matrix(layout[0] === "t", m, k), matrix(layout[1] === "t", k, n)];
  const inputs = { bias: device.empty("f32", [n]), residual: device.empty("bf16", [m, n]) };
  const { kernel, args } = fused ? matmulKernel(a, b, { inputs, epilogue: linear }) : matmulKernel(a, b);
  return assemble(kernel.compile(...(args as Parameters<typeof kernel.compile>)).ptx);
}

describe.skipIf(noPtxas !== undefined)("kernels of matmul through ptxas", () => {
  it.each([
    ["nt", 1024, false],
    ["tn", 768, false],
    ["nt", 1024, true],
    ["nt", 1001, true],
  ] as const)("%s, %d columns, fused: %s: nothing spills, no product waits for another", async (layout, n, fused) => {
    const result = await assembled(layout, n, fused);
    expect(result?.log).not.toMatch(/error/);
    expect(result).toMatchObject({ ok: true, spills: 0, warnings: [] });
  });
});
