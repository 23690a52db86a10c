/** How each CUDA C++ kernel of this folder is launched, and where its results may differ in the last bits. Arguments: `warpsmith emulate`. */

import { textureCases } from "./texture-cases.ts";

/** How far a result may be off where the PTX manual leaves bits open: |a - b| <= atol + rtol |b|. */
export interface Allowance {
  readonly rtol: number;
  readonly atol: number;
  /** What the manual leaves open. */
  readonly because: string;
}

/** A launch file of `warpsmith emulate`, and what the comparison needs to know. */
export interface ForeignCase {
  readonly name: string;
  /** The file that its PTX comes from. */
  readonly source: string;
  readonly entry: string;
  readonly grid: readonly number[];
  readonly block: readonly number[];
  readonly cluster?: readonly number[];
  readonly smem?: number;
  readonly buffers?: readonly string[];
  readonly args: readonly string[];
  /** By buffer. What has none must agree in every bit. */
  readonly allowances?: Readonly<Record<string, Allowance>>;
}

const exponentials: Allowance = {
  rtol: 2e-6,
  atol: 0,
  because: "ex2.approx.f32 has a relative error of up to 2^-22 (PTX ISA 9.7.3.21), twice in each quotient",
};
const tensorCore: Allowance = {
  rtol: 1e-5,
  atol: 1e-4,
  because: "the order and the precision of sums within mma and wgmma are not specified (PTX ISA 9.7.14.5.14, 9.7.15.5.2)",
};

export const cudaCases: readonly ForeignCase[] = [
  {
    name: "saxpy",
    source: "saxpy.cu",
    entry: "saxpy",
    grid: [2],
    block: [64],
    args: ["i32:1003", "f32:1.7", "f32[1003]:randn:1", "y=f32[1003]:randn:2:out"],
  },
  {
    name: "strided-copy",
    source: "strided-copy.cu",
    entry: "strided_copy",
    grid: [3],
    block: [128],
    args: [
      "out8=u8[600]:zeros:out",
      "out16=u16[300]:zeros:out",
      "signs=i16[300]:zeros:out",
      "u8[900]:bits:1",
      "u16[900]:bits:2",
      "i32:300",
      "i32:3",
    ],
  },
  {
    name: "block-reduce",
    source: "block-reduce.cu",
    entry: "block_reduce",
    grid: [4],
    block: [128],
    args: ["f32[5000]:randn:3", "sums=f32[4]:zeros:out", "maxima=f32[4]:zeros:out", "i32:5000"],
  },
  {
    name: "warp-scan",
    source: "warp-scan.cu",
    entry: "warp_scan",
    grid: [3],
    block: [128],
    args: ["i32[384]:bits:4", "sums=i64[384]:zeros:out", "segments=i32[384]:zeros:out"],
  },
  {
    name: "histogram",
    source: "histogram.cu",
    entry: "histogram",
    grid: [2],
    block: [128],
    args: ["u8[8192]:bits:5", "i32:8192", "bins=u32[256]:zeros:out"],
  },
  {
    name: "transpose",
    source: "transpose.cu",
    entry: "transpose",
    grid: [2, 3],
    block: [32, 8],
    args: ["f64[70x45]:randn:6", "out=f64[45x70]:zeros:out", "i32:70", "i32:45"],
  },
  {
    name: "matmul-tiles",
    source: "matmul-tiles.cu",
    entry: "matmul_tiles",
    grid: [2, 2],
    block: [256],
    args: ["f32[100x32]:randn:7", "f32[32x70]:randn:8", "c=f32[100x70]:zeros:out", "i32:100", "i32:70", "i32:32"],
  },
  {
    name: "wmma",
    source: "wmma.cu",
    entry: "wmma_gemm",
    grid: [2, 2],
    block: [32, 2],
    args: ["f16[32x48]:randn:9", "f16[64x48]:randn:10", "c=f32[32x64]:zeros:out", "i32:64", "i32:48"],
    allowances: { c: tensorCore },
  },
  {
    name: "mma-bf16",
    source: "mma-sync.cu",
    entry: "mma_bf16",
    grid: [1],
    block: [32],
    args: ["bf16[16x16]:randn:11", "bf16[16x8]:randn:12", "c=f32[16x8]:zeros:out"],
    allowances: { c: tensorCore },
  },
  {
    name: "mma-s8",
    source: "mma-sync.cu",
    entry: "mma_s8",
    grid: [1],
    block: [32],
    args: ["i8[16x32]:bits:13", "i8[8x32]:bits:14", "c=i32[128]:zeros:out"],
  },
  {
    name: "mma-tf32-f64",
    source: "mma-sync.cu",
    entry: "mma_tf32_f64",
    grid: [1],
    block: [32],
    args: [
      "f32[16x8]:randn:15",
      "f32[8x8]:randn:16",
      "c=f32[128]:zeros:out",
      "f64[8x4]:randn:17",
      "f64[8x4]:randn:18",
      "z=f64[64]:zeros:out",
    ],
    allowances: { c: tensorCore },
  },
  {
    name: "softmax",
    source: "softmax.cu",
    entry: "softmax",
    grid: [4],
    block: [32, 4],
    args: ["f32[13x97]:randn:19", "out=f32[13x97]:zeros:out", "i32:13", "i32:97"],
    allowances: { out: exponentials },
  },
  {
    name: "doubles",
    source: "doubles.cu",
    entry: "doubles",
    grid: [1],
    block: [256],
    args: ["f64[500]:randn:20", "f64[500]:randn:21", "out=f64[5001]:zeros:out", "whole=i64[1000]:zeros:out", "i32:500"],
  },
  {
    name: "integers-64",
    source: "integers-64.cu",
    entry: "integers_64",
    grid: [2],
    block: [128],
    args: ["u64[250]:bits:22", "u64[250]:bits:23", "out=u64[4000]:zeros:out", "i32:250"],
  },
  {
    name: "interpreter",
    source: "interpreter.cu",
    entry: "interpreter",
    grid: [2],
    block: [64],
    args: ["u8[64]:bits:24", "i32:64", "i32[128]:bits:25", "out=i32[384]:zeros:out"],
  },
  {
    name: "calls",
    source: "calls.cu",
    entry: "calls",
    grid: [1],
    block: [64],
    args: ["i32[64]:bits:26", "out=i32[256]:zeros:out", "areas=f32[64]:zeros:out"],
  },
  {
    name: "local-arrays",
    source: "local-arrays.cu",
    entry: "local_arrays",
    grid: [2],
    block: [64],
    args: ["i32[1536]:bits:27", "out=i32[512]:zeros:out"],
  },
  {
    name: "constants",
    source: "constants.cu",
    entry: "constants",
    grid: [1],
    block: [64],
    args: ["out=f64[64]:zeros:out", "sums=i32[68]:zeros:out"],
  },
  {
    name: "cp-async",
    source: "cp-async.cu",
    entry: "cp_async",
    grid: [1],
    block: [128],
    args: ["f32[3072]:randn:28", "out=f32[128]:zeros:out", "i32:6", "i32:300"],
  },
  {
    name: "cluster",
    source: "cluster.cu",
    entry: "cluster",
    grid: [8],
    block: [128],
    cluster: [4],
    args: ["u32[5000]:bits:29", "bins=u32[256]:zeros:out", "neighbours=f32[1024]:zeros:out", "i32:5000"],
  },
  {
    name: "bulk-copy",
    source: "bulk-copy.cu",
    entry: "bulk_copy",
    grid: [2],
    block: [128],
    buffers: ["x=f32[45x60]:randn:30", "y=f32[45x60]:zeros:out"],
    args: [
      "tma:@x:f32[45x60]:box=16x32",
      "tma:@y:f32[45x60]:box=16x32",
      "f32[3072]:randn:31",
      "out=f32[3072]:zeros:out",
      "i32:3",
    ],
  },
  {
    name: "printf-assert",
    source: "printf-assert.cu",
    entry: "printf_assert",
    grid: [1],
    block: [32],
    args: ["i32[32]:below=1000:32", "out=i32[64]:zeros:out"],
  },
  {
    name: "halves",
    source: "half.cu",
    entry: "halves",
    grid: [2],
    block: [128],
    args: ["f16[512]:bits:33", "f16[512]:bits:34", "out=f16[6144]:zeros:out", "whole=i32[1024]:zeros:out"],
    allowances: { out: { rtol: 0, atol: 0, because: "neg and abs of NaN are an unspecified NaN (PTX ISA 9.7.4)" } },
  },
  {
    name: "bfloats",
    source: "half.cu",
    entry: "bfloats",
    grid: [2],
    block: [128],
    args: ["bf16[512]:randn:35", "bf16[512]:randn:36", "out=bf16[3072]:zeros:out", "floats=f32[512]:zeros:out"],
  },
  {
    name: "fp8",
    source: "fp8.cu",
    entry: "fp8",
    grid: [2],
    block: [64],
    args: ["f32[256]:randn:37", "packed=u16[512]:zeros:out", "out=f16[512]:zeros:out", "floats=f32[128]:zeros:out"],
  },
  {
    name: "atomics",
    source: "atomics.cu",
    entry: "atomics",
    grid: [2],
    block: [128],
    args: [
      "i32[256]:bits:38",
      "ints=i32[16]:zeros:out",
      "words=u32[16]:zeros:out",
      "longs=u64[8]:zeros:out",
      "floats=f32[4]:zeros:out",
      "doubles=f64[2]:zeros:out",
      "halves=f16[2]:zeros:out",
      "shorts=u16[2]:zeros:out",
    ],
  },
  {
    name: "votes",
    source: "votes.cu",
    entry: "votes",
    grid: [2],
    block: [64],
    args: ["i32[128]:bits:39", "out=u32[1792]:zeros:out"],
  },
  {
    name: "bits",
    source: "bits.cu",
    entry: "bits",
    grid: [2],
    block: [128],
    args: ["u32[256]:bits:40", "u32[256]:bits:41", "out=u32[5120]:zeros:out"],
  },
  {
    name: "video",
    source: "video.cu",
    entry: "video",
    grid: [1],
    block: [128],
    args: ["u32[128]:bits:52", "u32[128]:bits:53", "out=u32[384]:zeros:out"],
  },
  {
    name: "last-block",
    source: "last-block.cu",
    entry: "last_block",
    grid: [7],
    block: [128],
    args: ["i32[10000]:bits:42", "i64[7]:zeros", "out=i64[1]:zeros:out", "i32:10000"],
  },
  {
    name: "math-f32",
    source: "math-f32.cu",
    entry: "math_f32",
    grid: [2],
    block: [128],
    args: ["f32[256]:randn:43", "exact=f32[2560]:zeros:out", "close=f32[2560]:zeros:out"],
    allowances: {
      close: {
        rtol: 4e-6,
        atol: 2e-6,
        because: "sin, ex2, lg2, rcp and rsqrt with .approx have errors of up to 2^-20.5 and 2^-22 (PTX ISA 9.7.3)",
      },
    },
  },
  {
    name: "math-f64",
    source: "math-f64.cu",
    entry: "math_f64",
    grid: [2],
    block: [64],
    args: ["f64[128]:randn:44", "out=f64[1024]:zeros:out"],
    allowances: {
      out: {
        rtol: 1e-14,
        atol: 1e-15,
        because:
          "rcp and rsqrt.approx.ftz.f64 give 20 bits or more (PTX ISA 9.7.3): what is refined from them may end one step apart",
      },
    },
  },
  {
    name: "wgmma",
    source: "wgmma.cu",
    entry: "wgmma",
    grid: [1],
    block: [128],
    args: ["f16[64x64]:randn:45", "f16[64x64]:randn:46", "c=f32[64x64]:zeros:out"],
    allowances: { c: tensorCore },
  },
  {
    name: "structures",
    source: "structures.cu",
    entry: "structures",
    grid: [2],
    block: [128],
    buffers: ["in=i32[200]:below=1000:47", "out=f32[200]:zeros:out"],
    args: [
      "{@out,i16:1,i16:-2,i16:3,i16:-4,i16:5,i16:-6,f64:0.125,u8:200,u8:100,u8:50,@in,i32:200}",
      "i8:-3",
      "{i16:500,i16:-700}",
    ],
  },
  {
    name: "barriers",
    source: "barriers.cu",
    entry: "barriers",
    grid: [2],
    block: [128],
    args: ["i32[256]:bits:48", "out=i32[1024]:zeros:out"],
  },
  {
    name: "groups",
    source: "groups.cu",
    entry: "groups",
    grid: [2],
    block: [64],
    args: ["i32[128]:bits:49", "out=i32[640]:zeros:out", "counters=i32[4]:zeros:out"],
  },
  {
    name: "pipeline",
    source: "pipeline.cu",
    entry: "pipeline",
    grid: [1],
    block: [128],
    args: ["i32[1280]:bits:50", "out=i32[128]:zeros:out", "i32:5"],
  },
  {
    name: "collatz",
    source: "collatz.cu",
    entry: "collatz",
    grid: [2],
    block: [64],
    args: ["u64:7000000000", "steps=i32[128]:zeros:out", "primes=u32[128]:zeros:out"],
  },
  {
    name: "convolution",
    source: "convolution.cu",
    entry: "convolution",
    grid: [4, 5],
    block: [16, 8],
    smem: 240,
    args: ["u8[37x50]:bits:51", "out=u8[37x50]:zeros:out", "i32:50", "i32:37"],
  },
  ...textureCases,
];
