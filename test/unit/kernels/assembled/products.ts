import { type Device, fast, helper } from "warpsmith";
import { gatedMatmulKernel, matmulKernel } from "warpsmith/kernels";
import { type Assembling, ptxOf } from "./assembling.ts";

type Half = "f16" | "bf16";
type Size = readonly [m: number, n: number, k: number];

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
const activated = helper((value: number) => ({ value: value / (1 + fast.exp(-value)), z: value }));
const furthered = helper((value: number, { bias, residual }: { readonly bias: number; readonly residual: number }) => {
  const z = value + bias;
  return { value: z / (1 + fast.exp(-z)), z, summed: z + residual, top: z };
});

const matrix = (device: Device, dtype: Half, turned: boolean, rows: number, columns: number) =>
  turned ? device.empty(dtype, [columns, rows]).transpose(1, 0) : device.empty(dtype, [rows, columns]);
const operands = (device: Device, dtype: Half, layout: string, [m, n, k]: Size) => ({
  a: matrix(device, dtype, layout[0] === "t", m, k),
  b: matrix(device, dtype, layout[1] === "t", k, n),
});
const inputsOf = (device: Device, dtype: Half, [m, n]: Size) => ({
  bias: device.empty("f32", [n]),
  residual: device.empty(dtype, [m, n]),
});
const titled = (what: string, ...of: readonly unknown[]): string => `${what}: ${of.map(String).join(", ")}`;

const cube = (n: number): Size => [n, n, n];
const plain: readonly (readonly [layout: string, Half, Size, isFused: boolean])[] = [
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
  // Those that panels.long.test.ts is about.
  ["nn", "f16", cube(1536), false],
  ["nn", "bf16", [512, 14336, 4096], false],
];
const pairs: typeof plain = [
  ["nt", "bf16", [16, 14336, 512], false],
  ["nt", "f16", [64, 1024, 2048], true],
  ["nn", "bf16", [512, 4096, 512], true],
  ["nt", "bf16", [2048, 2816, 512], false],
  ["nt", "f16", [4096, 2816, 512], true],
  ["nn", "bf16", [300, 1001, 512], true],
];
const sums: readonly (readonly [Half, Size])[] = [
  ["f16", [64, 4096, 4096]],
  ["bf16", [1024, 1001, 512]],
  ["f16", [4096, 4096, 512]],
];
const further: readonly (readonly [Half, other: Half | "f32", Size])[] = [
  ["bf16", "bf16", [64, 4096, 4096]],
  ["f16", "f32", [1024, 1001, 512]],
  ["bf16", "bf16", [4096, 4096, 512]],
  ["bf16", "f32", [4096, 11008, 512]],
  ["f16", "f16", [8192, 8192, 512]],
];
const batches: readonly (readonly [Half, batch: number, Size])[] = [
  ["bf16", 1, [64, 4096, 4096]],
  ["bf16", 1, cube(4096)],
  ["f16", 1, [4096, 11008, 4096]],
  ["bf16", 3, [2048, 2048, 512]],
];

function summedOf(device: Device, dtype: Half, size: Size) {
  const { a, b } = operands(device, dtype, "nt", size);
  const outputs = { squares: { sum: device.empty("f32", [size[0]]) }, top: { max: device.empty("f32", [size[0]]) } };
  return matmulKernel(a, b, { inputs: inputsOf(device, dtype, size), outputs, epilogue: summed });
}

function furtheredOf(device: Device, dtype: Half, other: Half | "f32", size: Size) {
  const { a, b } = operands(device, dtype, "nt", size);
  const [m, n] = size;
  const top = { max: device.empty("f32", [m]), column: device.empty("i32", [m]) };
  const outputs = { z: device.empty(other, [m, n]), summed: device.empty("f32", [m, n]), top };
  return matmulKernel(a, b, { inputs: inputsOf(device, dtype, size), outputs, epilogue: furthered });
}

/** What puts rows together behind a product. */
const combineOf = ({ after }: ReturnType<typeof matmulKernel>): string => {
  const [combine] = after;
  if (!combine) throw new Error("nothing is launched after it");
  return ptxOf(combine);
};

/** Kernels of `matmul` and `gatedMatmul`, by the plans that are chosen. */
export const products: readonly Assembling[] = [
  ...plain.map(([layout, dtype, size, isFused]) => ({
    title: titled("matmul", layout, dtype, size.join(" x "), isFused ? "fused" : "plain"),
    ptx: ({ fake }: { readonly fake: Device }) => {
      const { a, b } = operands(fake, dtype, layout, size);
      return ptxOf(matmulKernel(a, b, isFused ? { inputs: inputsOf(fake, dtype, size), epilogue: linear } : {}));
    },
  })),
  ...pairs.map(([layout, dtype, size, isFused]) => ({
    title: titled("a gated pair", layout, dtype, size.join(" x "), isFused ? "fused" : "for every M"),
    ptx: ({ fake }: { readonly fake: Device }) => {
      const { a, b: gate } = operands(fake, dtype, layout, size);
      const { b: up } = operands(fake, dtype, layout, size);
      const options = isFused ? { inputs: inputsOf(fake, dtype, size), epilogue: gated } : { dynamicM: true };
      return ptxOf(gatedMatmulKernel(a, gate, up, options));
    },
  })),
  ...sums.flatMap(([dtype, size]) => [
    {
      title: titled("sums of rows", dtype, size.join(" x ")),
      ptx: ({ fake }: { readonly fake: Device }) => ptxOf(summedOf(fake, dtype, size)),
    },
    {
      title: titled("sums of rows put together", dtype, size.join(" x ")),
      ptx: ({ fake }: { readonly fake: Device }) => combineOf(summedOf(fake, dtype, size)),
    },
  ]),
  ...further.flatMap(([dtype, other, size]) => [
    {
      title: titled("a further matrix", dtype, other, size.join(" x ")),
      ptx: ({ fake }: { readonly fake: Device }) => {
        const { a, b } = operands(fake, dtype, "nt", size);
        return ptxOf(matmulKernel(a, b, { outputs: { z: fake.empty(other, [size[0], size[1]]) }, epilogue: activated }));
      },
    },
    {
      title: titled("further matrices and rows", dtype, other, size.join(" x ")),
      ptx: ({ fake }: { readonly fake: Device }) => ptxOf(furtheredOf(fake, dtype, other, size)),
    },
    {
      title: titled("the greatest of rows put together", dtype, other, size.join(" x ")),
      ptx: ({ fake }: { readonly fake: Device }) => combineOf(furtheredOf(fake, dtype, other, size)),
    },
  ]),
  ...batches.map(([dtype, batch, [m, n, k]]) => ({
    title: titled("for every M, and batches", dtype, batch, `${m} x ${n} x ${k}`),
    ptx: ({ fake }: { readonly fake: Device }) => {
      const [a, b] = [fake.empty(dtype, [batch, m, k]), fake.empty(dtype, [batch, n, k]).transpose(0, 2, 1)];
      const inputs = { bias: fake.empty("f32", [n]), residual: fake.empty(dtype, [batch, m, n]) };
      return ptxOf(matmulKernel(a, b, { dynamicM: true, inputs, epilogue: linear }));
    },
  })),
];
