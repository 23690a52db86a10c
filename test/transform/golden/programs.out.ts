import { open as $open } from "warpsmith/hooks";
import { open as $popen } from "warpsmith/schedule/hooks";
const $spans = { file: "programs.in.ts", spans: [7, 53, 37, 8, 13, 18, 9, 14, 6, 9, 24, 12, 9, 3, 34, 10, 5, 65, 10, 24, 10, 10, 40, 9, 10, 53, 15, 10, 56, 2, 10, 60, 2, 11, 7, 12, 11, 12, 5, 12, 9, 5, 12, 11, 2, 14, 7, 5, 14, 9, 2, 14, 7, 18, 14, 16, 5, 14, 18, 2, 14, 16, 9, 14, 22, 2, 16, 19, 8, 16, 3, 25, 16, 36, 4, 16, 38, 1, 16, 29, 4, 16, 31, 1, 19, 37, 33, 20, 3, 4, 23, 42, 34, 24, 3, 4], parts: [[13, 14], [15, 16], [18, 19], [20, 21], [24, 25], [26, 27]], binds: { 1: "t", 4: "i, k", 6: "vi", 7: "vk", 23: "i" } };
const $ = $open(1, $spans);
const $p = $popen(1, $spans);
import { kernel, type Tensor } from "warpsmith";
import { alloc, block, type Buffer as B, grid, init, program as define, reduce, spatial } from "warpsmith/schedule";
import * as schedule from "warpsmith/schedule";

type Half = B<"f16", 2>;

export const sum = define({ X: [16, 16], Z: [16] }, $p.fn(0, { name: "sum", role: "program", params: [{ name: "X", kind: "buffer", dtype: "f16", rank: 2 }, { name: "Z", kind: "buffer", dtype: "f32", rank: 1 }] }, function sum(X: Half, Z: B<"f32", 1>) {
  const t = $p.call(1, alloc, ["f32", $p.born([16])], "alloc");
  $p.forOf(4, $p.call(3, grid, [16, 16], "grid"), ($p1) => { const [i, k] = $p.elements(2, $p1, 2, false);
    $p.stmt(5, $p.call(5, block, ["sum", $p.born({ vi: $p.call(6, spatial, [i], "spatial"), vk: $p.call(7, reduce, [k], "reduce") }), $p.fn(8, { name: "", role: "inner", params: [{ name: "{ vi, vk }", kind: "other" }] }, ($p2) => { let vi = $p.get(9, $p2, "vi"), vk = $p.get(10, $p2, "vk");
      $p.stmt(11, $p.call(11, init, [$p.fn(12, { name: "", role: "inner", params: [] }, () => {
        $p.set(13, t, vi, 0);
      })], "init"));
      $p.update(15, t, vi, ($p3) => $p.bin(17, "+", $p3, $p.get(20, $p.get(18, X, vi), vk)));
    })], "block")); }, null);
  $p.forOf(23, $p.call(22, grid, [16], "grid"), (i) => { $p.set(26, Z, i, $p.get(24, t, i)); }, null);
}));

export const all = schedule.program($p.fn(28, { name: "all", role: "program", params: [{ name: "X", kind: "buffer", dtype: "f32", rank: 1 }] }, (X: schedule.Buffer<"f32", 1>) => {
  $p.set(29, X, 0, 1);
}));

export const fill = kernel({ block: 1 }, $.fn(30, { name: "fill", role: "kernel", params: [{ name: "x", kind: "tensor", dtype: "f32", rank: 1 }] }, function fill(x: Tensor<"f32", 1>) {
  $.set(31, x, 0, 1);
}));
