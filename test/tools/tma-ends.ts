// What a TMA store, or a reduction, writes behind rows that end elsewhere than at a multiple of 16 bytes, on a device.
//
//   node --import warpsmith/register test/tools/tma-ends.ts [emulator]
//
// One line for each element type, operation, rank and swizzle: bytes behind the first row that change, for rows of several lengths, and what else changes that
// does not belong to the tensor. One NVIDIA H200 (driver 580.159.04) goes on to the next multiple of 16 bytes in all of them, and changes nothing else; so does the emulator.
import { type Device, type DeviceTensor, type DType, openDevice, type Swizzle, TMA } from "warpsmith";
import { loadPtx } from "warpsmith/ptx";

const operations = ["store", "add", "min"] as const;
type Operation = (typeof operations)[number];

const sizes = { u8: 1, e4m3: 1, i16: 2, f16: 2, bf16: 2, i32: 4, f32: 4, tf32: 4, i64: 8, f64: 8 } as const;
type Type = keyof typeof sizes;

/** What reductions take through a map (PTX ISA 9.7.9.27.1.3). f64 comes last: it may stop the device. */
const reduced: readonly (readonly [Operation, Type])[] = [
  ["add", "f16"],
  ["min", "f16"],
  ["add", "bf16"],
  ["min", "bf16"],
  ["add", "i32"],
  ["min", "i32"],
  ["add", "f32"],
  ["min", "i64"],
  ["add", "f64"],
];

const mostRank = 3;
const names = operations.flatMap((op) => Array.from({ length: mostRank }, (_, i) => ({ op, rank: i + 1 })));

/** Copies `bytes` to shared memory; one thread stores the box at 0, 0, …. */
const entry = ({ op, rank }: (typeof names)[number]): string => `
.visible .entry ${op}${rank}(.param .u64 from, .param .align 64 .b8 map[128], .param .u32 bytes)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [from];
  cvta.to.global.u64 %d1, %d1;
  ld.param.u32 %r1, [bytes];
  mov.u32 %r7, %tid.x;
  shl.b32 %r2, %r7, 2;
  mov.u32 %r3, smem;
  mov.u32 %r6, 0;
again:
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 bra filled;
  cvt.u64.u32 %d2, %r2;
  add.u64 %d2, %d1, %d2;
  ld.global.u32 %r4, [%d2];
  add.u32 %r5, %r3, %r2;
  st.shared.u32 [%r5], %r4;
  add.u32 %r2, %r2, 128;
  bra again;
filled:
  fence.proxy.async;
  bar.sync 0;
  setp.ne.u32 %p1, %r7, 0;
  @%p1 bra end;
  mov.b64 %d3, map;
  cvta.param.u64 %d3, %d3;
  cp.${op === "store" ? "" : "reduce."}async.bulk.tensor.${rank}d.global.shared::cta.${op === "store" ? "" : `${op}.`}tile.bulk_group [%d3, {${Array(rank).fill("%r6").join(", ")}}], [%r3];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
end:
  ret;
}`;

const module = loadPtx(`.version 8.0
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 smem[];
${names.map(entry).join("\n")}
`);

/** Of memory that has been all 2s where the box of 1s has [2, … 2, 128 bytes] of a tensor of [1, … 1, columns]: where something has changed. */
async function changed(device: Device, op: Operation, type: Type, rank: number, swizzle: Swizzle, columns: number) {
  const size = sizes[type];
  const width = (swizzle === "none" ? 128 : Number.parseInt(swizzle, 10)) / size;
  const shape = Array.from({ length: rank }, (_, d) => (d === rank - 1 ? 256 / size : 4));
  const box = shape.map((_, d) => (d === rank - 1 ? width : 2));
  const boxBytes = box.reduce((n, extent) => n * extent, size);
  const dtype: DType = type;
  using memory = device.empty(dtype, shape) as DeviceTensor;
  using tile = device.empty(dtype, [boxBytes / size]) as DeviceTensor;
  memory.fill((type === "i64" ? 2n : 2) as never);
  tile.fill((type === "i64" ? 1n : 1) as never);
  const part = memory.slice(...shape.map((_, d) => [0, d === rank - 1 ? columns : 1] as const));
  module
    .entry(`${op}${rank}`)
    .launch({ device, grid: 1, block: 32, smem: boxBytes }, tile, new TMA(part, { box, swizzle }), boxBytes);
  const all = Array.from(await memory.read(), Number);
  return all.flatMap((value, i) => (value === 2 ? [] : [i]));
}

async function ask(device: Device, op: Operation, type: Type, rank: number, swizzle: Swizzle): Promise<string> {
  const size = sizes[type];
  const unit = 16 / size;
  const answers: string[] = [];
  for (const columns of new Set([1, unit - 1, unit, unit + 1, 2 * unit - 1].filter((n) => n > 0))) {
    const places = await changed(device, op, type, rank, swizzle, columns);
    const missing = columns - places.filter((i) => i < columns).length;
    const behind = places.filter((i) => i >= columns && i < 256 / size).length;
    const elsewhere = places.filter((i) => i >= 256 / size).length;
    const odd = [missing > 0 ? `${missing} of the row not written` : "", elsewhere > 0 ? `${elsewhere} in other rows` : ""];
    answers.push([`${columns * size}: ${behind * size}`, ...odd.filter(Boolean)].join(", "));
  }
  return `${op} ${type}, rank ${rank}, swizzle ${swizzle}: bytes of the row: bytes behind it; ${answers.join("; ")}`;
}

await using device = await openDevice((process.argv[2] ?? "cuda") as "cuda", { check: "off" });
const stores = (Object.keys(sizes) as Type[]).map((type) => ["store", type] as const);
for (const [op, type] of [...stores, ...reduced])
  for (let rank = 1; rank <= mostRank; rank++)
    for (const swizzle of ["none", "32B", "128B"] as const) console.log(await ask(device, op, type, rank, swizzle));
