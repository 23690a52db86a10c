import { open as $open } from "warpsmith/hooks";
const $ = $open(1, { file: "closures.in.ts", spans: [3, 46, 58, 11, 12, 5, 11, 21, 6, 11, 32, 6, 4, 18, 14, 4, 22, 6, 4, 33, 6, 6, 19, 5, 6, 26, 3, 6, 12, 1, 6, 3, 27, 6, 31, 25, 6, 43, 12, 6, 45, 9, 7, 17, 9, 7, 7, 7, 8, 3, 23, 8, 18, 6, 9, 15, 20, 9, 24, 7, 9, 33, 1, 9, 5, 7, 11, 3, 36, 12, 9, 5, 12, 16, 7, 13, 5, 4, 13, 7, 1, 15, 3, 61, 15, 14, 9, 15, 24, 39, 15, 30, 9, 15, 41, 21, 15, 50, 11, 15, 54, 7], parts: [[11, 12], [12, 13], [18, 19, 20], [25, 26], [31, 32]], binds: { 18: "largest" } });
import { kernel, type Tensor } from "warpsmith";

export const softmax = kernel({ block: 32 }, $.fn(0, { name: "softmax", role: "kernel", params: [{ name: "x", kind: "tensor", dtype: "f32", rank: 1 }, { name: "y", kind: "tensor", dtype: "f32", rank: 1 }] }, function softmax(x: Tensor<"f32", 1>, y: Tensor<"f32", 1>) { $.fn(1, { name: "store", role: "inner", params: [{ name: "i", kind: "bare", type: "number", at: 2 }, { name: "v", kind: "bare", type: "number", at: 3 }] }, store);
  const column = $.fn(4, { name: "column", role: "inner", params: [{ name: "c", kind: "bare", type: "number", at: 5 }] }, (c: number) => $.bin(6, "*", c, 32));
  const values: number[] = $.born([]);
  { let c = 0; $.loop(10, { test: () => $.bin(7, "<", c, 4), update: () => { c = $.un(8, "++", c); }, body: () => { $.stmt(11, $.invoke(11, values, "push", [$.get(12, x, $.call(13, column, [c], "column"))], "values.push")); } }, { names: ["c"], at: [9], get: () => [c], set: ($v) => { [c] = $v; } }); }
  let largest = $.box(15, "largest", $.un(14, "-", Infinity));
  $.stmt(16, $.invoke(16, values, "forEach", [$.fn(17, { name: "", role: "inner", params: [{ name: "v", kind: "other" }] }, (v) => {
    $.set(21, largest, "v", $.invoke(18, Math, "max", [$.get(19, largest, "v"), v], "Math.max"));
  })], "values.forEach"));
  function store(i: number, v: number) { return $.body(22, () => {
    return $.if(23, $.bin(23, "<", i, 0), () => { return $.ret(24); }, null, null, () => {
    $.set(25, y, i, v);
  });}); }
  $.stmt(27, $.invoke(27, values, "map", [$.fn(28, { name: "", role: "inner", params: [{ name: "v", kind: "other" }, { name: "i", kind: "other" }] }, (v, i) => $.call(29, store, [$.call(30, column, [i], "column"), $.invoke(31, Math, "exp", [$.bin(32, "-", v, $.get(33, largest, "v"))], "Math.exp")], "store"))], "values.map"));
}));
