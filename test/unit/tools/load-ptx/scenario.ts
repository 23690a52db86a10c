/** What a program does with module.ptx, on a device of either kind. */
import { join } from "node:path";
import { type Device, TMA } from "warpsmith";
import { loadPtx, pointer, scalar, struct, tensorMapBytes } from "warpsmith/ptx";

export const file = join(import.meta.dirname, "module.ptx");

const count = 1000;
const numbers = Float32Array.from({ length: count }, (_, i) => i);

/** Numbers, a tensor, and an address inside one: the last `count - 1` elements of y. */
export async function saxpy(gpu: Device): Promise<readonly number[]> {
  const x = gpu.tensor("f32", [count], numbers);
  const y = gpu.tensor("f32", [count], new Float32Array(count).fill(1));
  loadPtx({ file })
    .entry("saxpy")
    .launch({ grid: 8, block: 128 }, count - 1, 0.5, x, pointer(y, 4));
  return Array.from(await y.read());
}

export const saxpyExpected = Array.from({ length: count }, (_, i) => (i === 0 ? 1 : 1 + (i - 1) / 2));

/** A structure by value, a variable written and one read, and several launches of two kernels in two streams that share them. */
export async function variables(gpu: Device): Promise<readonly unknown[]> {
  const module = loadPtx({ file });
  const x = gpu.tensor("f32", [32], numbers.subarray(0, 32));
  const [single, double] = [gpu.zeros("f32", [32]), gpu.zeros("f64", [32])];
  const launch = (name: string, y: typeof single | typeof double, stream?: ReturnType<Device["stream"]>): void =>
    module
      .entry(name)
      .launch({ grid: 1, block: 32, ...(stream && { stream }) }, struct(x, scalar("i32", 5), scalar("f64", 2)), y);
  const coef = module.variable("coef", { device: gpu, dtype: "f32" });
  const before = Array.from(await coef.read());
  launch("poly<float>", single);
  const first = Array.from((await single.read()).subarray(0, 6));
  coef.write([1, 1, 0, 0]);
  using stream = gpu.stream();
  launch("ns::poly<double>", double, stream);
  launch("ns::poly<float>(Params, float*)", single);
  return [
    before,
    first,
    Array.from((await single.read()).subarray(0, 6)),
    Array.from((await double.read()).subarray(0, 6)),
    Array.from(await module.variable("ns::counter", { device: gpu, dtype: "u32" }).read()),
  ];
}

export const variablesExpected = [[1, 2, 3, 4], [2, 20, 98, 284, 626, 0], [2, 4, 6, 8, 10, 0], [2, 4, 6, 8, 10, 0], [15]];

/** Small parameters of every size, a cluster that the PTX asks for, dynamic shared memory: more of it, then less. */
export async function clustered(gpu: Device): Promise<readonly (readonly number[])[]> {
  const entry = loadPtx({ file }).entry("clustered");
  const results: (readonly number[])[] = [];
  for (const smem of [256, 65_536, 256]) {
    const out = gpu.zeros("u32", [128]);
    entry.launch({ grid: 2, block: 64, smem }, out, true, 7n << 32n, 65_535, -3);
    results.push(Array.from(await out.read()));
  }
  return results;
}

export const clusteredExpected = Array.from({ length: 3 }, () =>
  Array.from({ length: 128 }, (_, i) => 63 - (i % 64) + Math.floor(i / 64) * 1000 + 100_000 + 7 + 65_535 - 3),
);

/** A tensor map that lies in a variable: what is loaded through it. */
export async function mapInVariable(gpu: Device): Promise<readonly number[]> {
  const module = loadPtx(mapPtx);
  const x = gpu.tensor("f32", [8, 8], numbers.subarray(0, 64));
  const out = gpu.zeros("f32", [16]);
  module.variable("desc", { device: gpu }).write(tensorMapBytes(new TMA(x, { box: [4, 4] })));
  module.entry().launch({ grid: 1, block: 32 }, out);
  return Array.from(await out.read());
}

export const mapExpected = Array.from({ length: 16 }, (_, i) => 8 * (2 + Math.floor(i / 4)) + 4 + (i % 4));

const mapPtx = `.version 8.3
.target sm_90a
.address_size 64
.global .align 64 .b8 desc[128];
.visible .entry load(.param .u64 out)
{
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .b64 %d<8>;
  .reg .f32 %f<2>;
  .shared .align 128 .b8 tile[64];
  .shared .align 8 .b64 bar;
  ld.param.u64 %d0, [out];
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, tile;
  mov.u32 %r2, bar;
  mov.u64 %d1, desc;
  cvta.global.u64 %d1, %d1;
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra issued;
  fence.proxy.tensormap::generic.acquire.gpu [%d1], 128;
  mbarrier.init.shared::cta.b64 [%r2], 1;
  fence.proxy.async.shared::cta;
  mbarrier.arrive.expect_tx.shared::cta.b64 %d2, [%r2], 64;
  mov.u32 %r3, 4;
  mov.u32 %r4, 2;
  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d1, {%r3, %r4}], [%r2];
issued:
  bar.sync 0;
waiting:
  mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2], 0;
  @!%p1 bra waiting;
  setp.gt.u32 %p2, %r0, 15;
  @%p2 bra over;
  shl.b32 %r5, %r0, 2;
  add.u32 %r6, %r1, %r5;
  ld.shared.f32 %f0, [%r6];
  cvt.u64.u32 %d3, %r5;
  add.u64 %d4, %d0, %d3;
  st.global.f32 [%d4], %f0;
over:
  ret;
}
`;
