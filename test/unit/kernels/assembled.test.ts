import { describe, expect, it } from "vitest";
import { fast, helper } from "warpsmith";
import { gatedMatmulKernel, matmulKernel } from "warpsmith/kernels";
import { assemble, noPtxas } from "../../support/ptxas.ts";
import { verifyAfterEachPass } from "../../support/verify-after-each-pass.ts";
import { openFake } from "../cuda/open-fake.ts";

verifyAfterEachPass();

const linear = helper(
  (value: number, { bias, residual }: { readonly bias: number; readonly residual: number }) =>
    Math.max(value + bias, 0) + residual,
);

const gated = helper(
  (gate: number, up: number, { bias, residual }: { readonly bias: number; readonly residual: number }) =>
    Math.max(gate + bias, 0) * up + residual,
);

const summed = helper((value: number, { bias, residual }: { readonly bias: number; readonly residual: number }) => {
  const all = Math.max(value + bias, 0) + residual;
  return { value: all, squares: all * all, top: all };
});

const furthered = helper((value: number, { bias, residual }: { readonly bias: number; readonly residual: number }) => {
  const z = value + bias;
  return { value: z / (1 + fast.exp(-z)), z, summed: z + residual, top: z };
});

/** What ptxas says of the kernel that `matmul` chooses. */
async function assembled(layout: string, dtype: "f16" | "bf16", [m, n, k]: readonly [number, number, number], fused: boolean) {
  const { device } = await openFake();
  const matrix = (turned: boolean, rows: number, columns: number) =>
    turned ? device.empty(dtype, [columns, rows]).transpose(1, 0) : device.empty(dtype, [rows, columns]);
  const [a, b] = [matrix(layout[0] === "t", m, k), matrix(layout[1] === "t", k, n)];
  const inputs = { bias: device.empty("f32", [n]), residual: device.empty(dtype, [m, n]) };
  const { kernel, args } = fused ? matmulKernel(a, b, { inputs, epilogue: linear }) : matmulKernel(a, b);
  return assemble(kernel.compile(...(args as Parameters<typeof kernel.compile>)).ptx);
}

describe.skipIf(noPtxas !== undefined)("kernels of matmul through ptxas", () => {
  const cube = (n: number) => [n, n, n] as const;
  it.each([
    ["nt", "bf16", [1024, 1024, 512], false],
    ["tn", "bf16", [1024, 768, 512], false],
    ["nt", "bf16", [1024, 1024, 512], true],
    ["nt", "bf16", [2048, 1001, 512], false],
    ["nt", "bf16", [1024, 1001, 512], true],
    ["nn", "f16", cube(2048), false],
    ["nt", "f16", cube(3072), true],
    ["nt", "bf16", cube(3072), true],
    ["nt", "f16", cube(4096), false],
    ["nt", "bf16", cube(4096), true],
    ["tt", "f16", [2048, 4096, 14336], true],
    ["nt", "f16", [4096, 11008, 4096], true],
    ["nt", "bf16", [4096, 11008, 4096], true],
    ["nn", "bf16", cube(8192), false],
    ["nt", "f16", [6144, 6144, 8192], true],
  ] as const)("%s, %s, %s, fused: %s: nothing spills, no product waits for another", async (layout, dtype, size, fused) => {
    const result = await assembled(layout, dtype, size, fused);
    expect(result?.log).not.toMatch(/error/);
    expect(result).toMatchObject({ ok: true, spills: 0, warnings: [] });
  });

  it.each([
    ["nt", "bf16", [16, 14336, 512], false],
    ["nt", "f16", [64, 1024, 2048], true],
    ["nn", "bf16", [512, 4096, 512], true],
    ["nt", "bf16", [2048, 2816, 512], false],
    ["nt", "f16", [4096, 2816, 512], true],
    ["nn", "bf16", [300, 1001, 512], true],
  ] as const)("of gated pairs: %s, %s, %s, fused: %s", async (layout, dtype, [m, n, k], fused) => {
    const { device } = await openFake();
    const weights = () => (layout === "nn" ? device.empty(dtype, [k, n]) : device.empty(dtype, [n, k]).transpose(1, 0));
    const [a, gate, up] = [device.empty(dtype, [m, k]), weights(), weights()];
    const inputs = { bias: device.empty("f32", [n]), residual: device.empty(dtype, [m, n]) };
    const { kernel, args } = fused
      ? gatedMatmulKernel(a, gate, up, { inputs, epilogue: gated })
      : gatedMatmulKernel(a, gate, up, { dynamicM: true });
    const result = assemble(kernel.compile(...(args as Parameters<typeof kernel.compile>)).ptx);
    expect(result).toMatchObject({ ok: true, spills: 0, warnings: [] });
  });

  it.each([
    ["f16", [64, 4096, 4096]],
    ["bf16", [1024, 1001, 512]],
    ["f16", [4096, 4096, 512]],
  ] as const)("of sums of rows: %s, %s", async (dtype, [m, n, k]) => {
    const { device } = await openFake();
    const [a, b] = [device.empty(dtype, [m, k]), device.empty(dtype, [n, k]).transpose(1, 0)];
    const inputs = { bias: device.empty("f32", [n]), residual: device.empty(dtype, [m, n]) };
    const outputs = { squares: { sum: device.empty("f32", [m]) }, top: { max: device.empty("f32", [m]) } };
    const { kernel, args, after } = matmulKernel(a, b, { inputs, outputs, epilogue: summed });
    expect(assemble(kernel.compile(...args).ptx)).toMatchObject({ ok: true, spills: 0, warnings: [] });
    const [combine] = after;
    expect(assemble(combine?.kernel.compile(...combine.args).ptx ?? "")).toMatchObject({ ok: true, spills: 0, warnings: [] });
  });

  it.each([
    ["bf16", "bf16", [64, 4096, 4096]],
    ["f16", "f32", [1024, 1001, 512]],
    ["bf16", "bf16", [4096, 4096, 512]],
    ["bf16", "f32", [4096, 11008, 512]],
    ["f16", "f16", [8192, 8192, 512]],
  ] as const)("of further matrices: %s and %s, %s", async (dtype, other, [m, n, k]) => {
    const { device } = await openFake();
    const [a, b] = [device.empty(dtype, [m, k]), device.empty(dtype, [n, k]).transpose(1, 0)];
    const inputs = { bias: device.empty("f32", [n]), residual: device.empty(dtype, [m, n]) };
    const [z, more] = [device.empty(other, [m, n]), device.empty("f32", [m, n])];
    const top = { max: device.empty("f32", [m]), column: device.empty("i32", [m]) };
    const activated = helper((value: number) => ({ value: value / (1 + fast.exp(-value)), z: value }));
    const one = matmulKernel(a, b, { outputs: { z }, epilogue: activated });
    expect(assemble(one.kernel.compile(...one.args).ptx)).toMatchObject({ ok: true, spills: 0, warnings: [] });
    const all = matmulKernel(a, b, { inputs, outputs: { z, summed: more, top }, epilogue: furthered });
    expect(assemble(all.kernel.compile(...all.args).ptx)).toMatchObject({ ok: true, spills: 0, warnings: [] });
    const [combine] = all.after;
    expect(assemble(combine?.kernel.compile(...combine.args).ptx ?? "")).toMatchObject({ ok: true, spills: 0, warnings: [] });
  });

  it.each([
    ["bf16", [1, 64, 4096, 4096]],
    ["bf16", [1, 4096, 4096, 4096]],
    ["f16", [1, 4096, 11008, 4096]],
    ["bf16", [3, 2048, 2048, 512]],
  ] as const)("for every M, and batches: %s, %s", async (dtype, [batch, m, n, k]) => {
    const { device } = await openFake();
    const [a, b] = [device.empty(dtype, [batch, m, k]), device.empty(dtype, [batch, n, k]).transpose(0, 2, 1)];
    const inputs = { bias: device.empty("f32", [n]), residual: device.empty(dtype, [batch, m, n]) };
    const { kernel, args } = matmulKernel(a, b, { dynamicM: true, inputs, epilogue: linear });
    expect(assemble(kernel.compile(...args).ptx)).toMatchObject({ ok: true, spills: 0, warnings: [] });
  });
});
