// What plain tsc accepts and refuses. Every expected refusal is a line of its own.
import {
  autotune,
  type f32,
  helper,
  type i64,
  kernel,
  openDevice,
  sharedMemory,
  type Tensor,
  type TMA,
  WGMMAMatrix,
} from "warpsmith";

kernel({ block: 32 }, function k(x: Tensor<"f32", 2>, n: i64, t: TMA<"f16", 2>) {
  // @ts-expect-error row is not a number
  const a: number = x[0];
  // @ts-expect-error too many indices
  x[0][1][2];
  // @ts-expect-error 64-bit integers do not mix with others
  const b = n + 1;
  // @ts-expect-error chained
  if (0 < x[0][0] < 3) return;
  // @ts-expect-error coordinates
  t.load(sharedMemory.alloc("f16", [64, 64]), null!, [0]);
  // @ts-expect-error dtype
  t.load(sharedMemory.alloc("f32", [64, 64]), null!, [0, 0]);
  x.at(0, 1).load();
  const v = x.at(0).at(1).load({ vector: 4 })[3];
  void a;
  void b;
  void v;
  WGMMAMatrix;
});
const k2 = kernel({ block: (a) => a.shape[0] as number }, function k2(x: Tensor<"f32", 2>, alpha: f32) {
  x;
  alpha;
});
declare const spec: import("warpsmith").TensorSpec<"f32", 2>,
  dev: import("warpsmith").DeviceTensor<"f32", 2>,
  dev16: import("warpsmith").DeviceTensor<"f16", 2>;
k2.compile(spec, 2);
k2.launch({ grid: 1 }, dev, 2);
// @ts-expect-error a spec has no memory
k2.launch({ grid: 1 }, spec, 2);
// @ts-expect-error f16
k2.launch({ grid: 1 }, dev16, 2);
class C {
  @kernel({ block: 3 }) static m(x: Tensor<"f32", 1>) {
    x;
  }
  // @ts-expect-error not static
  @kernel({ block: 3 }) n(x: Tensor<"f32", 1>) {
    x;
  }
}
kernel(C.m).compile;
helper((v: number) => v);
declare const gpu: import("warpsmith").Device;

import { TMA as Map2 } from "warpsmith";

const k3 = kernel({ block: 32 }, function k3(x: TMA<"f32", 2>) {
  x.prefetch();
});
k3.launch({ grid: 1 }, new Map2(gpu.zeros("f32", [4, 4]), { box: [4, 4] }));
// @ts-expect-error rank 3
k3.launch({ grid: 1 }, new Map2(gpu.zeros("f32", [4, 4, 4]), { box: [4, 4, 4] }));
// @ts-expect-error a matrix has no third extent
spec.shape[2];

import { ptx, type SharedView } from "warpsmith";

kernel({ block: 32 }, function k4(x: Tensor<"f16", 2>, s: SharedView<"f32", 1>) {
  const one: number = ptx("", { out: "u32" }, 1, true, 2n, x, x.at(0), x.at(0, 0), s);
  const wide: bigint = ptx("", { out: "u64" });
  const [a, b]: [number, boolean] = ptx("", { out: ["f16", "bool"] });
  const { sum, carry }: { sum: bigint; carry: boolean } = ptx("", { out: { sum: "i64", carry: "bool" }, pure: true });
  const none: undefined = ptx("");
  // @ts-expect-error it is a bigint
  const narrow: number = ptx("", { out: "i64" });
  // @ts-expect-error there are two
  const third = ptx("", { out: ["f16", "bool"] })[2];
  // @ts-expect-error no such type
  ptx("", { out: "b32" });
  // @ts-expect-error text is no operand
  ptx("", {}, "x");
  void [one, wide, a, b, sum, carry, none, narrow, third];
});
const tuned = autotune(
  [{ block: 32 }],
  ({ block }) =>
    kernel({ block }, function t(x: Tensor<"f32", 2>, alpha: f32) {
      x;
      alpha;
    }),
  {
    key: (x, alpha) => `${x.shape[0]} ${alpha > 1}`,
    skip: ({ block }, x) => x.shape[1] % block !== 0,
    restore: (x) => [x],
  },
);
tuned.launch({ grid: 1 }, dev, 2);
const asKernel: import("warpsmith").Kernel<[Tensor<"f32", 2>, f32]> = tuned;
const block: number | undefined = tuned.choices()[0]?.config.block;
void asKernel;
void block;
// @ts-expect-error f16
tuned.launch({ grid: 1 }, dev16, 2);
// @ts-expect-error no text
autotune([32], () => k2, { key: (x) => x.shape[0] });
// @ts-expect-error no field of a configuration
autotune([{ block: 32 }], (config) => (config.blok ? k2 : k2));
export const withoutAwait = async () => {
  // @ts-expect-error a device is ended by await using
  using gpu = await openDevice();
  void gpu;
};
