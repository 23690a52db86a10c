import type { Tensor } from "warpsmith";
import {
  blockIdx,
  explicit,
  expr,
  f32,
  forRange,
  i32,
  kernel,
  logical,
  select,
  sharedMemory,
  syncThreads,
  threadIdx,
  when,
  whileLoop,
} from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { integers } from "./numbers.ts";

const n = 64;

/** Operators as methods. */
const scalars = kernel(
  { block: n, grid: 1, params: ["tensor", "tensor", "i32"] },
  explicit((x: Tensor<"i32", 1>, out: Tensor<"i32", 2>, k: number) => {
    const t = threadIdx.x,
      a = expr(x.at(t).load()),
      b = expr(k);
    const results = [
      a.add(b),
      a.sub(b),
      a.mul(b),
      a.mod(b),
      a.neg(),
      a.and(b),
      a.or(b),
      a.xor(b),
      a.shl(2),
      a.shr(1),
      expr(i32(expr(t).ushr(1))),
      expr(i32(a.lt(b))),
      expr(i32(a.ge(b))),
      expr(i32(a.eq(b))),
      expr(i32(a.ne(3))),
      expr(i32(a.le(b))),
      expr(i32(a.gt(b))),
    ];
    results.forEach((value, row) => void out.at(row, t).store(value));
  }),
);

const helper = explicit((v: number) => expr(v).mul(3).add(1));

const flow = kernel(
  { block: 32, grid: 2, params: ["tensor", "tensor", "static"] },
  explicit((x: Tensor<"f32", 1>, out: Tensor<"f32", 2>, turns: number) => {
    const i = expr(blockIdx.x).mul(32).add(threadIdx.x);
    const v = expr(x.at(i).load());
    const [sum, last] = forRange(
      0,
      turns,
      [f32(0), i32(0)] as const,
      (k, [s, l]) => [expr(s).add(expr(v).mul(f32(k))), expr(l).add(k)] as const,
    );
    out.at(0, i).store(expr(sum).add(f32(last)));
    out.at(1, i).store(forRange(i, 0, f32(0), (k, s) => expr(s).add(f32(k)), { step: -2 }));
    out.at(2, i).store(
      whileLoop(
        v,
        (s) => logical.and(expr(s).gt(-100), expr(s).lt(100), logical.not(expr(s).eq(0))),
        (s) => expr(s).mul(2),
      ),
    );
    out.at(3, i).store(
      when(
        expr(v).gt(0),
        () => expr(v).sub(1),
        () => expr(v).neg(),
      ),
    );
    out.at(4, i).store(select(logical.or(expr(i).lt(5), expr(i).gt(50)), v, f32(-1)));
    out.at(5, i).store(0);
    when(expr(i).mod(3).eq(0), () => void out.at(5, i).store(helper(v)));
  }),
);

/** Beside the rest of the language: shared memory, barriers and static loops. */
const shared = kernel(
  { block: n, grid: 1, params: ["tensor", "tensor"] },
  explicit((x: Tensor<"i32", 1>, out: Tensor<"i32", 1>) => {
    const cells = sharedMemory.alloc("i32", [n]);
    const t = expr(threadIdx.x);
    cells.at(t).store(x.at(t).load());
    syncThreads();
    let sum = expr(0);
    for (let k = 0; k < 4; k++) sum = sum.add(expr(cells.at(t.add(k).mod(n)).load()).mul(k + 1));
    out.at(t).store(sum);
  }),
);

export const explicitCases: readonly Case[] = [
  defineCase("explicit/scalars", scalars, () => {
    const x = integers(n, -40, 40, 4),
      k = 7;
    const rows: ((a: number, t: number) => number)[] = [
      (a) => a + k,
      (a) => a - k,
      (a) => a * k,
      (a) => a % k,
      (a) => -a,
      (a) => a & k,
      (a) => a | k,
      (a) => a ^ k,
      (a) => a << 2,
      (a) => a >> 1,
      (_, t) => t >>> 1,
      (a) => Number(a < k),
      (a) => Number(a >= k),
      (a) => Number(a === k),
      (a) => Number(a !== 3),
      (a) => Number(a <= k),
      (a) => Number(a > k),
    ];
    return {
      args: [
        input("i32", [n], x),
        output(
          "i32",
          [rows.length, n],
          rows.flatMap((f) => x.map((a, t) => f(a, t) + 0)),
        ),
        k,
      ],
    };
  }),
  defineCase("explicit/flow", flow, () => {
    const x = integers(n, -9, 9, 6);
    const grow = (v: number): number => {
      let s = v;
      while (s > -100 && s < 100 && s !== 0) s *= 2;
      return s;
    };
    const down = (i: number): number => {
      let s = 0;
      for (let k = i; k > 0; k -= 2) s += k;
      return s;
    };
    const rows: ((v: number, i: number) => number)[] = [
      (v) => v * 15 + 15,
      (_, i) => down(i),
      (v) => grow(v),
      (v) => (v > 0 ? v - 1 : 0 - v),
      (v, i) => (i < 5 || i > 50 ? v : -1),
      (v, i) => (i % 3 === 0 ? v * 3 + 1 : 0),
    ];
    const agree = (a: number | bigint, e: number | bigint) => a === e;
    return {
      args: [
        input("f32", [n], x),
        output(
          "f32",
          [rows.length, n],
          rows.flatMap((f) => x.map(f)),
          { agree },
        ),
        6,
      ],
    };
  }),
  defineCase("explicit/shared", shared, () => {
    const x = integers(n, -40, 40, 8);
    return {
      args: [
        input("i32", [n], x),
        output(
          "i32",
          [n],
          x.map((_, t) => [1, 2, 3, 4].reduce((sum, f, k) => sum + f * x[(t + k) % n]!, 0)),
        ),
      ],
    };
  }),
];
