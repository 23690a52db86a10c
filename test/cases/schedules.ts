// Programs of loop nests as kernels: threads, shared memory, registers, tensor cores, sizes that a launch says.
import { programKernel } from "warpsmith/schedule";
import { doubleBuffered } from "../schedule/double-buffered.ts";
import { programOf } from "../schedule/program-of.ts";
import { type AnyKernel, type Case, defineCase, input, output } from "./case.ts";
import { integers } from "./numbers.ts";

const head = `import {
  alloc, annotate, type Buffer, bind, block, effect, floorDiv, grid, init, intrinsic, program, reduce, spatial, unrolled, vectorized, where,
} from "warpsmith/schedule";
import { f32 } from "warpsmith";
`;

/** X [m, k] times the transpose of Y [n, k]. */
function products(x: readonly number[], y: readonly number[], [m, n, k]: readonly [number, number, number]): number[] {
  return Array.from({ length: m * n }, (_, i) => {
    const [row, col] = [Math.floor(i / n), i % n];
    let sum = 0;
    for (let r = 0; r < k; r++) sum += (x[row * k + r] ?? 0) * (y[col * k + r] ?? 0);
    return sum;
  });
}

const matmulCase = (name: string, kernel: AnyKernel, [m, n, k]: readonly [number, number, number]): Case =>
  defineCase(`schedules/${name}`, kernel, () => {
    const [x, y] = [integers(m * k, -3, 3, 1), integers(n * k, -3, 3, 2)];
    return { args: [input("f16", [m, k], x), input("f16", [n, k], y), output("f32", [m, n], products(x, y, [m, n, k]))] };
  });

/** Tiles of 16 × 16 threads, each with its sum in a register; sizes that a launch says, and that tiles do not divide. */
const tiled = programOf(`${head}export const tiled = program(
  { X: ["M", "K"], Y: ["N", "K"], Z: ["M", "N"] },
  function tiled(X: Buffer<"f16", 2>, Y: Buffer<"f16", 2>, Z: Buffer<"f32", 2>) {
    const [M, K] = X.shape;
    const [N] = Y.shape;
    const S = alloc("f32", [16, 16], "local");
    for (const bi of bind("blockIdx.y", floorDiv(M + 15, 16)))
      for (const bj of bind("blockIdx.x", floorDiv(N + 15, 16)))
        for (const ti of bind("threadIdx.y", 16))
          for (const tj of bind("threadIdx.x", 16)) {
            S[ti][tj] = 0;
            for (const k of grid(K))
              block("sum", { a: spatial(ti), b: spatial(tj), i: spatial(M, bi * 16 + ti), j: spatial(N, bj * 16 + tj), r: reduce(k) }, ({ a, b, i, j, r }) => {
                where(bi * 16 + ti < M && bj * 16 + tj < N);
                S[a][b] += f32(X[i][r]) * f32(Y[j][r]);
              });
            block("store", { a: spatial(ti), b: spatial(tj), i: spatial(M, bi * 16 + ti), j: spatial(N, bj * 16 + tj) }, ({ a, b, i, j }) => {
              where(bi * 16 + ti < M && bj * 16 + tj < N);
              Z[i][j] = S[a][b];
            });
          }
  },
);`);

/** wmma, with copies of the next step under way while one is multiplied. */
const pipelined = programOf(`${head}export const pipelined = program(
  { X: [128, 128], Y: [64, 128], Z: [128, 64] },
  function pipelined(X: Buffer<"f16", 2>, Y: Buffer<"f16", 2>, Z: Buffer<"f32", 2>) {
    const Xs = alloc("f16", [2, 64, 32], "shared", { padding: 16 });
    const Ys = alloc("f16", [2, 64, 32], "shared", { padding: 16 });
    const A = alloc("f16", [64, 32], "wmma.matrix_a");
    const B = alloc("f16", [64, 32], "wmma.matrix_b");
    const C = alloc("f32", [64, 64], "wmma.accumulator");
    for (const b of bind("blockIdx.x", 2))
      for (const w of bind("threadIdx.y", 4)) {
        for (const j of grid(4)) intrinsic("wmma_fill", C.region([w * 16, 16], [j * 16, 16]));
        for (const t of grid(5)) {
          if (t < 4)
            for (const a of unrolled(2))
              for (const x of bind("threadIdx.x", 32))
                for (const v of vectorized(8))
                  block("copy_X", { r: spatial(128, b * 64 + a * 32 + w * 8 + floorDiv(x, 4)), c: spatial(128, t * 32 + (x % 4) * 8 + v) }, ({ r, c }) => {
                      annotate({ async: true });
                      Xs[floorDiv(c, 32) % 2][r % 64][c % 32] = X[r][c];
                    },
                  );
          if (t < 4)
            for (const a of unrolled(2))
              for (const x of bind("threadIdx.x", 32))
                for (const v of vectorized(8))
                  block("copy_Y", { r: spatial(64, a * 32 + w * 8 + floorDiv(x, 4)), c: spatial(128, t * 32 + (x % 4) * 8 + v) }, ({ r, c }) => {
                      annotate({ async: true });
                      Ys[floorDiv(c, 32) % 2][r][c % 32] = Y[r][c];
                    },
                  );
          effect("asyncCommit");
          if (t > 0) {
            effect("asyncWait", 1);
            for (const k of grid(2)) {
              intrinsic(
                "wmma_load_a",
                Xs.region([(t + 1) % 2, 1], [w * 16, 16], [k * 16, 16]),
                A.region([w * 16, 16], [k * 16, 16]),
              );
              for (const j of grid(4)) {
                intrinsic(
                  "wmma_load_b",
                  Ys.region([(t + 1) % 2, 1], [j * 16, 16], [k * 16, 16]),
                  B.region([j * 16, 16], [k * 16, 16]),
                );
                intrinsic(
                  "wmma_sync",
                  A.region([w * 16, 16], [k * 16, 16]),
                  B.region([j * 16, 16], [k * 16, 16]),
                  C.region([w * 16, 16], [j * 16, 16]),
                );
              }
            }
          }
        }
        for (const j of grid(4))
          intrinsic("wmma_store", C.region([w * 16, 16], [j * 16, 16]), Z.region([b * 64 + w * 16, 16], [j * 16, 16]));
      }
  },
);`);

/** Two warpgroups, each with 64 rows, out of swizzled shared memory. */
const warpgroups = programOf(`${head}export const warpgroups = program(
  { X: [128, 128], Y: [128, 128], Z: [128, 128] },
  function warpgroups(X: Buffer<"f16", 2>, Y: Buffer<"f16", 2>, Z: Buffer<"f32", 2>) {
    const Xs = alloc("f16", [128, 64], "shared", { swizzle: "128B" });
    const Ys = alloc("f16", [128, 64], "shared", { swizzle: "128B" });
    const C = alloc("f32", [128, 128], "wgmma.accumulator");
    for (const g of bind("threadIdx.y", 2)) {
      intrinsic("wgmma_fill_128", C.region([g * 64, 64], [0, 128]));
      for (const k of grid(2)) {
        for (const a of grid(4))
          for (const x of bind("threadIdx.x", 128))
            for (const v of vectorized(8)) {
              Xs[a * 32 + g * 16 + floorDiv(x, 8)][(x % 8) * 8 + v] =
                X[a * 32 + g * 16 + floorDiv(x, 8)][k * 64 + (x % 8) * 8 + v];
            }
        for (const a of grid(4))
          for (const x of bind("threadIdx.x", 128))
            for (const v of vectorized(8)) {
              Ys[a * 32 + g * 16 + floorDiv(x, 8)][(x % 8) * 8 + v] =
                Y[a * 32 + g * 16 + floorDiv(x, 8)][k * 64 + (x % 8) * 8 + v];
            }
        intrinsic(
          "wgmma_sync_128",
          Xs.region([g * 64, 64], [0, 64]),
          Ys.region([0, 128], [0, 64]),
          C.region([g * 64, 64], [0, 128]),
        );
      }
      intrinsic("wgmma_store_128", C.region([g * 64, 64], [0, 128]), Z.region([g * 64, 64], [0, 128]));
    }
  },
);`);

/** Rows summed by a warp in shared memory, halves onto halves, and divided by their sum. */
const normalized =
  programOf(`${head}export const normalized = program({ X: [8, 64], Z: [8, 64] }, function normalized(X: Buffer<"f32", 2>, Z: Buffer<"f32", 2>) {
  const S = alloc("f32", [8, 64], "shared");
  for (const i of bind("blockIdx.x", 8)) {
    for (const t of bind("threadIdx.x", 64)) S[i][t] = X[i][t];
    for (const h of [32, 16, 8, 4, 2, 1]) for (const t of bind("threadIdx.x", h)) S[i][t] += S[i][t + h];
    for (const t of bind("threadIdx.x", 64)) Z[i][t] = X[i][t] / S[i][0];
  }
});`);

/** Nothing bound: one thread runs it all. */
const serial = programOf(`${head}export const serial = program(
  { X: [4, 8], Y: [4, 8], Z: [4, 4] },
  function serial(X: Buffer<"f16", 2>, Y: Buffer<"f16", 2>, Z: Buffer<"f32", 2>) {
    for (const [i, j, k] of grid(4, 4, 8))
      block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {
        init(() => {
          Z[vi][vj] = 0;
        });
        Z[vi][vj] += f32(X[vi][vk]) * f32(Y[vj][vk]);
      });
  },
);`);

export const scheduleCases: readonly Case[] = [
  matmulCase("serial", programKernel(serial), [4, 4, 8]),
  matmulCase("sizes-of-the-launch", programKernel(tiled), [37, 21, 19]),
  matmulCase("copies-under-way", programKernel(pipelined), [128, 64, 128]),
  matmulCase("next-tile-in-registers", doubleBuffered("before").kernel(), [32, 16, 64]),
  matmulCase("two-warpgroups", programKernel(warpgroups), [128, 128, 128]),
  defineCase("schedules/rows-divided-by-their-sum", programKernel(normalized), () => {
    const x = Array.from({ length: 8 * 64 }, (_, i) => (i % 64 === 63 ? 64 - Math.floor((63 * 62) / 62) : 1));
    const wanted = x.map((v, i) => Math.fround(v / x.slice(i - (i % 64), i - (i % 64) + 64).reduce((a, b) => a + b, 0)));
    return { args: [input("f32", [8, 64], x), output("f32", [8, 64], wanted)] };
  }),
];
