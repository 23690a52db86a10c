// PTX that the author writes in a kernel: operands of each kind, results, registers of its own, and where it may stand.

import type { Tensor } from "warpsmith";
import {
  cluster,
  f16,
  i32,
  kernel,
  Mbarriers,
  ptx,
  range,
  sharedMemory,
  staticRange,
  syncThreads,
  threadIdx,
  u32,
  warp,
} from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { integers } from "./numbers.ts";

const n = 64;

/** One instruction, with operands of one type. */
const multiplyAdd = kernel(
  { block: n, grid: 1 },
  function multiplyAdd(a: Tensor<"u32", 1>, b: Tensor<"u32", 1>, y: Tensor<"u32", 2>) {
    const t = threadIdx.x;
    y.at(0, t).value = ptx("mad.lo.u32 $0, $1, $2, $3;", { out: "u32" }, a[t]!, b[t]!, 17);
    y.at(1, t).value = ptx("lop3.b32 $0, $1, $2, $3, $4;", { out: "u32", pure: true }, a[t]!, b[t]!, 0x0f0f0f0f, 0x96);
    y.at(2, t).value = ptx("bfe.u32 $0, $1, 4, 8; // eight bits", { out: "u32", pure: true }, a[t]!);
  },
);

/** Floats: numbers become those of the instruction's type. */
const floats = kernel(
  { block: n, grid: 1 },
  function floats(x: Tensor<"f32", 1>, h: Tensor<"f16", 1>, y: Tensor<"f32", 2>, z: Tensor<"f16", 1>, d: Tensor<"f64", 1>) {
    const t = threadIdx.x;
    y.at(0, t).value = ptx("fma.rn.f32 $0, $1, $2, $3;", { out: "f32" }, x[t]!, 2, 0.1);
    y.at(1, t).value = ptx("add.rn.f32 $0, $1, $2;", { out: "f32", pure: true }, x[t]!, -0);
    z[t] = ptx("add.rn.f16 $0, $1, $2;", { out: "f16" }, h[t]!, f16(1.5));
    d[t] = ptx("{ .reg .f64 w; cvt.f64.f32 w, $1; mul.rn.f64 $0, w, $2; }", { out: "f64" }, x[t]!, 0.1);
  },
);

/** Several results, registers of its own, two scopes with the same name. */
const wideSum = kernel(
  { block: n, grid: 1 },
  function wideSum(a: Tensor<"u64", 1>, b: Tensor<"u64", 1>, y: Tensor<"u64", 1>, c: Tensor<"u32", 1>) {
    const t = threadIdx.x;
    const { sum, carry } = ptx(
      `.reg .u32 low<4>, high<2>;
       .reg .u32 a, b;
       { .reg .b32 x; mov.b64 {low0, x}, $2; mov.b32 high0, x; }
       { .reg .b32 x; mov.b64 {low1, x}, $3; mov.b32 high1, x; }
       add.cc.u32 a, low0, low1;
       addc.cc.u32 b, high0, high1;
       addc.u32 $1, 0, 0;
       mov.b64 $0, {a, b};`,
      { out: { sum: "u64", carry: "u32" } },
      a[t]!,
      b[t]!,
    );
    y[t] = sum;
    c[t] = carry;
  },
);

/** Truths come in and go out; a result that only a guarded instruction writes is 0 elsewhere. */
const predicates = kernel(
  { block: n, grid: 1 },
  function predicates(x: Tensor<"i32", 1>, y: Tensor<"i32", 2>, b: Tensor<"bool", 1>) {
    const t = threadIdx.x;
    const positive = x[t]! > 0;
    y.at(0, t).value = ptx("selp.s32 $0, $1, $2, $3;", { out: "i32" }, x[t]!, -1, positive);
    y.at(1, t).value = ptx("@$1 mov.s32 $0, $2;", { out: "i32" }, positive, x[t]!);
    y.at(2, t).value = ptx("mov.s32 $0, 5;\n@!$1 neg.s32 $0, $2;", { out: "i32" }, positive, x[t]!);
    const [even, odd] = ptx(
      "{ .reg .b32 low; and.b32 low, $2, 1; setp.eq.b32 $0|$1, low, 0; }",
      { out: ["bool", "bool"], pure: true },
      x[t]!,
    );
    b[t] = even && !odd;
  },
);

/** Addresses of elements and of tensors, vectors, narrow types. */
const memory = kernel(
  { block: n, grid: 1 },
  function memory(
    x: Tensor<"u32", 2>,
    y: Tensor<"u32", 2>,
    bytes: Tensor<"u8", 1>,
    signed: Tensor<"i8", 1>,
    wide: Tensor<"i32", 2>,
  ) {
    const t = threadIdx.x;
    const [a, b] = ptx("ld.global.v2.u32 {$0, $1}, [$2];", { out: ["u32", "u32"] }, x.at(t, 0));
    ptx("st.global.v2.u32 [$0+8], {$1, $2};", {}, y.at(t, 0), b, a);
    ptx("st.global.u32 [$0], $1;\n\nst.global.u32 [$0+4], $2;", {}, y.at(t), a, 7);
    const u = ptx("ld.global.u8 $0, [$1];", { out: "u8" }, bytes.at(t));
    const s = ptx("{ .reg .s32 w; ld.global.s8 w, [$1]; add.s32 w, w, 100; cvt.u16.u32 $0, w; }", { out: "i8" }, signed.at(t));
    wide.at(0, t).value = i32(u);
    wide.at(1, t).value = i32(s);
    ptx("red.global.add.s32 [$0], $1;", {}, wide.at(2, 0), 1);
  },
);

/** Shared memory by its address of 32 bits. */
const throughShared = kernel({ block: n, grid: 1 }, function throughShared(x: Tensor<"f32", 1>, y: Tensor<"f32", 2>) {
  const s = sharedMemory.alloc("f32", [2, n]);
  const t = threadIdx.x;
  ptx("st.shared.f32 [$0], $1;", {}, s.at(1, t), x[t]!);
  ptx("bar.sync 0;");
  y.at(0, t).value = s.at(1, n - 1 - t).value;
  syncThreads();
  s.at(0, t).value = x[t]! * 2;
  syncThreads();
  y.at(1, t).value = ptx("ld.shared.f32 $0, [$1+4];", { out: "f32" }, s.at(0, (t + 1) % (n - 1)));
  y.at(2, t).value = ptx("{ .reg .u32 at; mad.lo.u32 at, $2, 4, $1; ld.shared.f32 $0, [at]; }", { out: "f32" }, s, u32(t));
});

/** A helper, a loop, branches. */
function rotate(x: number, by: number) {
  "use kernel";
  return ptx("shf.l.wrap.b32 $0, $1, $1, $2;", { out: "u32", pure: true }, x, by);
}
const placed = kernel({ block: n, grid: 1 }, function placed(x: Tensor<"u32", 1>, y: Tensor<"u32", 1>) {
  const t = threadIdx.x;
  let h = x[t]!;
  for (const i of range(5)) {
    h = rotate(h, u32(i + 1));
    if (h % 2 === 1) h = ptx("xor.b32 $0, $1, $2;", { out: "u32" }, h, 0x9e3779b9);
    else ptx("red.global.add.u32 [$0], $1;", {}, y.at(n), 1);
  }
  y[t] = h;
});

/** What the lanes of a warp run together. */
const lanes = kernel({ block: n, grid: 1 }, function lanes(x: Tensor<"i32", 1>, y: Tensor<"i32", 2>) {
  const t = threadIdx.x;
  y.at(0, t).value = ptx("shfl.sync.bfly.b32 $0, $1, 3, 31, 0xffffffff;", { out: "i32" }, x[t]!);
  y.at(1, t).value = ptx("redux.sync.add.s32 $0, $1, -1;", { out: "i32" }, x[t]!);
  y.at(2, t).value = ptx("mov.u32 $0, %laneid;", { out: "i32", pure: true }) + warp.index * 100;
});

/** Copies that go on by themselves, an mbarrier, the memory of another block: what the author starts, the author waits for. */
const asynchronous = kernel({ block: 32, grid: 2, cluster: 2 }, function asynchronous(x: Tensor<"u32", 2>, y: Tensor<"u32", 2>) {
  const s = sharedMemory.alloc("u32", [128]);
  const bars = new Mbarriers(2);
  const t = threadIdx.x;
  if (t === 0) {
    ptx("mbarrier.init.shared.b64 [$0], $1;", {}, bars.at(1), 32);
    ptx("fence.mbarrier_init.release.cluster;");
  }
  cluster.sync();
  ptx("cp.async.cg.shared.global [$0], [$1], 16;", {}, s.at(4 * t), x.at(cluster.rank, 4 * t));
  ptx("cp.async.mbarrier.arrive.noinc.shared.b64 [$0];", {}, bars.at(1));
  while (!ptx("mbarrier.try_wait.parity.shared.b64 $0, [$1], 0;", { out: "bool" }, bars.at(1))) ptx("nanosleep.u32 20;");
  cluster.sync();
  const other = cluster.map(s, cluster.rank ^ 1);
  const v = ptx("ld.shared::cluster.v4.u32 {$0, $1, $2, $3}, [$4];", { out: ["u32", "u32", "u32", "u32"] }, other.at(4 * t));
  for (const i of staticRange(4)) y.at(cluster.rank, 4 * t + i).value = v[i]!;
  cluster.sync();
});

/** Tiles: element by element, scalars the same everywhere, several results. */
const elements = kernel({ block: n, grid: 1 }, function elements(x: Tensor<"i32", 2>, y: Tensor<"i32", 2>, z: Tensor<"bool", 2>) {
  const a = x.loadTile([0, 0], [16, 32]);
  const b = ptx("mad.lo.s32 $0, $1, $2, $3;", { out: "i32", pure: true }, a, a, x.at(0, 0).load());
  const { low, odd } = ptx(
    "{ .reg .pred p; and.b32 $0, $2, 15; setp.ne.b32 $1, 0, 0; setp.gt.s32 p, $2, $3; @p setp.eq.s32 $1, $2, $2; }",
    { out: { low: "i32", odd: "bool" }, pure: true },
    b,
    5,
  );
  y.storeTile([0, 0], b - low);
  z.storeTile([0, 0], odd);
});

/** Euclid's algorithm, a loop of its own for each thread. */
function divisor(a: number, b: number) {
  "use kernel";
  return ptx(
    `{ .reg .pred p; .reg .u32 a, b, t;
       mov.u32 a, $1;
       mov.u32 b, $2;
     again:
       setp.eq.u32 p, b, 0;
       @p bra done;
       rem.u32 t, a, b;
       mov.u32 a, b;
       mov.u32 b, t;
       bra again;
     done:
       mov.u32 $0, a; }`,
    { out: "u32" },
    a,
    b,
  );
}

/** Branches of its own, in copies of one text: in an unrolled loop, in a loop, in a branch; what runs together comes behind. */
const branches = kernel({ block: n, grid: 1 }, function branches(x: Tensor<"u32", 2>, y: Tensor<"u32", 2>) {
  const t = threadIdx.x;
  let sum = u32(0);
  for (const i of staticRange(3)) sum += divisor(x.at(i, t).load(), x.at(i + 1, t).load());
  y.at(0, t).value = sum;
  let common = x.at(0, t).load();
  for (const i of range(1, 4)) if (common % 2 === 0) common = divisor(common, x.at(i, t).load());
  y.at(1, t).value = common;
  y.at(2, t).value = ptx("redux.sync.add.u32 $0, $1, -1;", { out: "u32" }, common);
  // What no way writes is 0; scopes have labels of their own, and the last one stands at the end.
  y.at(3, t).value = ptx(
    `{ .reg .pred p; setp.lt.u32 p, $1, 500; @p bra end; mov.u32 $0, 7; end: }
     { .reg .pred p; setp.ge.u32 p, $1, 900; @p bra end; add.u32 $0, $0, 1; end: }`,
    { out: "u32", pure: true },
    x.at(0, t).load(),
  );
});

/** The wait for an mbarrier as CUDA's libraries write it, and a branch that all lanes take alike around what they run together. */
const waits = kernel({ block: n, grid: 1 }, function waits(x: Tensor<"u32", 1>, y: Tensor<"u32", 2>) {
  const bars = new Mbarriers(1);
  const t = threadIdx.x;
  const s = sharedMemory.alloc("u32", [n]);
  if (t === 0) bars.at(0).init(n);
  syncThreads();
  s.at(n - 1 - t).value = x[t]!;
  ptx("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [$0]; }", {}, bars.at(0));
  ptx(
    `{ .reg .pred P1;
     LAB_WAIT:
       mbarrier.try_wait.parity.shared::cta.b64 P1, [$0], $1;
       @P1 bra.uni DONE;
       bra.uni LAB_WAIT;
     DONE: }`,
    {},
    bars.at(0),
    0,
  );
  y.at(0, t).value = s.at(t).value;
  y.at(1, t).value = ptx(
    `{ .reg .pred first; .reg .u32 left;
       mov.u32 $0, $1;
       mov.u32 left, 3;
     round:
       shfl.sync.bfly.b32 $0, $0, 1, 31, 0xffffffff;
       add.u32 $0, $0, 1;
       sub.u32 left, left, 1;
       setp.ne.u32 first, left, 0;
       @first bra.uni round; }`,
    { out: "u32" },
    x[t]!,
  );
});

const u = (x: number): number => x >>> 0;

export const inlinePtxCases: readonly Case[] = [
  defineCase("inline/multiplyAdd", multiplyAdd, () => {
    const [a, b] = [integers(n, 0, 2 ** 31, 1).map((x) => u(x * 2)), integers(n, 0, 2 ** 31, 2)];
    const y = [
      ...a.map((x, i) => u(Math.imul(x, b[i] ?? 0) + 17)),
      ...a.map((x, i) => u(x ^ (b[i] ?? 0) ^ 0x0f0f0f0f)),
      ...a.map((x) => (x >>> 4) & 255),
    ];
    return { args: [input("u32", [n], a), input("u32", [n], b), output("u32", [3, n], y)] };
  }),
  defineCase("inline/floats", floats, () => {
    const x = integers(n, -50, 50, 3).map((v) => v / 4);
    const fma = x.map((v) => Math.fround(v * 2 + Math.fround(0.1)));
    return {
      args: [
        input("f32", [n], x),
        input("f16", [n], x),
        output("f32", [2, n], [...fma, ...x]),
        output(
          "f16",
          [n],
          x.map((v) => v + 1.5),
        ),
        output(
          "f64",
          [n],
          x.map((v) => v * 0.1),
        ),
      ],
    };
  }),
  defineCase("inline/wideSum", wideSum, () => {
    const wide = (seed: number): bigint[] =>
      integers(n, 0, 2 ** 31, seed).map((v, i) => BigInt.asUintN(64, BigInt(v) * 0x1_0000_0001n * BigInt(i * i + 1) * 77n));
    const [a, b] = [wide(4), wide(5)];
    const sums = a.map((v, i) => v + (b[i] ?? 0n));
    return {
      args: [
        input("u64", [n], a),
        input("u64", [n], b),
        output(
          "u64",
          [n],
          sums.map((s) => BigInt.asUintN(64, s)),
        ),
        output(
          "u32",
          [n],
          sums.map((s) => Number(s >> 64n)),
        ),
      ],
    };
  }),
  defineCase("inline/predicates", predicates, () => {
    const x = integers(n, -9, 9, 6);
    const y = [...x.map((v) => (v > 0 ? v : -1)), ...x.map((v) => (v > 0 ? v : 0)), ...x.map((v) => (v > 0 ? 5 : 0 - v))];
    return {
      args: [
        input("i32", [n], x),
        output("i32", [3, n], y),
        output(
          "bool",
          [n],
          x.map((v) => Number(v % 2 === 0)),
        ),
      ],
    };
  }),
  defineCase("inline/memory", memory, () => {
    const x = integers(4 * n, 0, 1000, 7);
    const y = Array.from({ length: n }, (_, t) => [x[4 * t] ?? 0, 7, x[4 * t + 1] ?? 0, x[4 * t] ?? 0]).flat();
    const bytes = integers(n, 0, 255, 8);
    const signed = integers(n, -128, 127, 9);
    const shifted = signed.map((v) => ((v + 100 + 128) & 255) - 128);
    const wide = [...bytes, ...shifted, ...Array.from({ length: n }, (_, i) => (i === 0 ? n : 0))];
    const initial = Array.from({ length: 3 * n }, (_, i) => (i < 2 * n ? -1 : 0));
    return {
      args: [
        input("u32", [n, 4], x),
        output("u32", [n, 4], y),
        input("u8", [n], bytes),
        input("i8", [n], signed),
        output("i32", [3, n], wide, { initial }),
      ],
    };
  }),
  defineCase("inline/throughShared", throughShared, () => {
    const x = integers(n, -99, 99, 10);
    const y = [
      ...x.map((_, t) => x[n - 1 - t] ?? 0),
      ...x.map((_, t) => 2 * (x[((t + 1) % (n - 1)) + 1] ?? 0)),
      ...x.map((v) => 2 * v),
    ];
    return { args: [input("f32", [n], x), output("f32", [3, n], y)] };
  }),
  defineCase("inline/placed", placed, () => {
    const x = integers(n, 0, 2 ** 31, 11);
    let evens = 0;
    const y = x.map((v) => {
      let h = u(v);
      for (let i = 0; i < 5; i++) {
        h = u((h << (i + 1)) | (h >>> (31 - i)));
        if (h % 2 === 1) h = u(h ^ 0x9e3779b9);
        else evens++;
      }
      return h;
    });
    const initial = Array.from({ length: n + 1 }, (_, i) => (i < n ? 77 : 0));
    return { args: [input("u32", [n], x), output("u32", [n + 1], [...y, evens], { initial })] };
  }),
  defineCase("inline/lanes", lanes, () => {
    const x = integers(n, -99, 99, 12);
    const total = (t: number): number => x.slice(t - (t % 32), t - (t % 32) + 32).reduce((a, b) => a + b, 0);
    const y = [
      ...x.map((_, t) => x[t ^ 3] ?? 0),
      ...x.map((_, t) => total(t)),
      ...x.map((_, t) => (t % 32) + 100 * Math.floor(t / 32)),
    ];
    return { args: [input("i32", [n], x), output("i32", [3, n], y)] };
  }),
  defineCase("inline/elements", elements, () => {
    const x = integers(512, -99, 99, 13);
    const b = x.map((v) => v * v + (x[0] ?? 0));
    return {
      args: [
        input("i32", [16, 32], x),
        output(
          "i32",
          [16, 32],
          b.map((v) => v - (v & 15)),
        ),
        output(
          "bool",
          [16, 32],
          b.map((v) => Number(v > 5)),
        ),
      ],
    };
  }),
  defineCase("inline/branches", branches, () => {
    const x = integers(4 * n, 1, 1000, 15);
    const at = (row: number, t: number): number => x[row * n + t] ?? 0;
    const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));
    const lanes = Array.from({ length: n }, (_, t) => t);
    const common = lanes.map((t) => [1, 2, 3].reduce((a, row) => (a % 2 === 0 ? gcd(a, at(row, t)) : a), at(0, t)));
    const total = (t: number): number => common.slice(t - (t % 32), t - (t % 32) + 32).reduce((a, b) => a + b, 0);
    const y = [
      ...lanes.map((t) => [0, 1, 2].reduce((sum, row) => sum + gcd(at(row, t), at(row + 1, t)), 0)),
      ...common,
      ...lanes.map(total),
      ...lanes.map((t) => (at(0, t) < 500 ? 0 : 7) + (at(0, t) < 900 ? 1 : 0)),
    ];
    return { args: [input("u32", [4, n], x), output("u32", [4, n], y)] };
  }),
  defineCase("inline/waits", waits, () => {
    const x = integers(n, 0, 1000, 16);
    const y = [...x.toReversed(), ...x.map((_, t) => (x[t ^ 1] ?? 0) + 3)];
    return { args: [input("u32", [n], x), output("u32", [2, n], y)] };
  }),
  defineCase("inline/asynchronous", asynchronous, () => {
    const x = integers(256, 0, 10_000, 14);
    return { args: [input("u32", [2, 128], x), output("u32", [2, 128], [...x.slice(128), ...x.slice(0, 128)])] };
  }),
];
