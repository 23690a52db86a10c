// One launch each of what falls short of what is asked of it, for ncu: between cuProfilerStart and cuProfilerStop, after a launch that compiles.
//
//   ncu --profile-from-start off --clock-control none --section SpeedOfLight --section WarpStateStats --page raw --csv node --import warpsmith/register bench/profile.ts [-- part of a name]…
//
// Prints a line for each; those of `matmul` have a kernel that copies operands before the product, where their lines are not as TMA takes them.
import { type Device, type DeviceTensor, type DType, openDevice, type Stream } from "warpsmith";
import * as kernels from "warpsmith/kernels";
import { fillNormal } from "./inputs.ts";
import { bind } from "./native/bind.ts";
import type { Half, Layout } from "./problem.ts";

type Make = (device: Device, stream: Stream) => () => void;

function normal<D extends Half | "f32", R extends number>(device: Device, dtype: D, shape: readonly number[], seed: number) {
  const x = device.empty(dtype, [...shape]);
  const columns = shape.at(-1) ?? 1;
  const rows = shape.reduce((product, extent) => product * extent, 1) / columns;
  fillNormal(x.reshape(rows, columns) as DeviceTensor<D, 2>, seed);
  return x as DeviceTensor<DType, number> as DeviceTensor<D, R>;
}

const decode =
  (batches: number, length: number): Make =>
  (device, stream) => {
    const cache = (seed: number) => normal<"bf16", 4>(device, "bf16", [batches, 4, length, 128], seed);
    const [q, k, v] = [normal<"bf16", 3>(device, "bf16", [batches, 32, 128], 1), cache(2), cache(3)];
    const out = device.empty("bf16", [batches, 32, 128]);
    return () => void kernels.attentionDecode(q, k, v, { out, stream });
  };

const big = [32768, 8192] as const;
type Matrix = DeviceTensor<"bf16", 2>;
const matrix = (device: Device, seed: number): Matrix => normal<"bf16", 2>(device, "bf16", big, seed);

const of =
  (run: (x: Matrix, y: Matrix, to: { readonly out: Matrix; readonly stream: Stream }) => unknown): Make =>
  (device, stream) => {
    const [x, y, out] = [matrix(device, 1), matrix(device, 2), device.empty("bf16", big)];
    return () => void run(x, y, { out, stream });
  };

const copy: Make = (device, stream) => {
  const shape = [8192, 32768] as const;
  const [x, out] = [normal<"f32", 2>(device, "f32", shape, 1), device.empty("f32", shape)];
  return () => void kernels.copy(x, { out, stream });
};

const crossEntropy: Make = (device, stream) => {
  const rows = 8192;
  const x = normal<"bf16", 2>(device, "bf16", [rows, 128256], 1);
  const targets = device.tensor(
    "i32",
    [rows],
    Int32Array.from({ length: rows }, (_, i) => i * 7),
  );
  const out = device.empty("f32", [rows]);
  return () => void kernels.crossEntropy(x, targets, { out, stream });
};

const argmax: Make = (device, stream) => {
  const [x, out] = [normal<"bf16", 2>(device, "bf16", [64, 128256], 1), device.empty("i32", [64])];
  return () => void kernels.argmax(x, { out, stream });
};

type Size = readonly [dtype: Half, layout: Layout, m: number, n: number, k: number];
const product =
  ([dtype, layout, m, n, k]: Size): Make =>
  (device, stream) => {
    const operand = (turned: boolean, rows: number, columns: number, seed: number): DeviceTensor<Half, 2> =>
      turned
        ? normal<Half, 2>(device, dtype, [columns, rows], seed).transpose(1, 0)
        : normal<Half, 2>(device, dtype, [rows, columns], seed);
    const [a, b] = [operand(layout[0] === "t", m, k, 1), operand(layout[1] === "t", k, n, 2)];
    const out = device.empty(dtype, [m, n]);
    return () => void kernels.matmul(a, b, { out, stream });
  };

const sizes: readonly Size[] = [
  ["f16", "nt", 8192, 8192, 8192],
  ["bf16", "nt", 4096, 4096, 14336],
  ["bf16", "nt", 160, 1384, 8712],
  ["bf16", "tt", 8192, 1800, 1560],
  ["bf16", "nt", 152, 3320, 1320],
  ["f16", "nt", 304, 4088, 2056],
  ["f16", "tn", 9504, 600, 240],
  ["f16", "nn", 143, 1422, 38],
  ["bf16", "nt", 7248, 1032, 4592],
  ["bf16", "nt", 11, 8494, 9],
  ["bf16", "tt", 47, 9156, 62],
  ["bf16", "nt", 5293, 499, 18],
];
const cases: readonly (readonly [name: string, make: Make])[] = [
  ["decode 8 x 8192", decode(8, 8192)],
  ["decode 32 x 8192", decode(32, 8192)],
  ["decode 128 x 4096", decode(128, 4096)],
  ["softmax", of((x, _, to) => kernels.softmax(x, to))],
  ["rmsNorm", of((x, y, to) => kernels.rmsNorm(x, y.slice([0, 1]).reshape(big[1]), to))],
  ["geluMul", of(kernels.geluMul)],
  ["siluMul", of(kernels.siluMul)],
  ["copy", copy],
  ["crossEntropy", crossEntropy],
  ["argmax", argmax],
  ...sizes.map((size) => [`matmul ${size.join(" ")}`, product(size)] as const),
];

const words = process.argv.slice(2).filter((word) => word !== "--");
await using device = await openDevice("cuda");
using stream = device.stream();
const profiler = bind("libcuda.so.1", { cuProfilerStart: [], cuProfilerStop: [] } as const);
for (const [name, make] of cases.filter(([name]) => words.length === 0 || words.some((word) => name.includes(word)))) {
  const launch = make(device, stream);
  await device.sync();
  launch();
  await device.sync();
  profiler.cuProfilerStart();
  launch();
  await device.sync();
  profiler.cuProfilerStop();
  console.log(name);
}
