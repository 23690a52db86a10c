import { open as $open } from "warpsmith/hooks";
const $ = $open(1, { file: "for-of.in.ts", spans: [3, 43, 36, 5, 19, 9, 5, 3, 26, 5, 30, 11, 5, 37, 4, 5, 39, 1, 4, 7, 3, 6, 14, 6, 6, 24, 24, 6, 3, 46, 7, 9, 7, 7, 18, 6, 8, 5, 8, 11, 26, 14, 11, 10, 31, 12, 5, 20, 13, 11, 10, 13, 23, 15, 14, 11, 7, 14, 20, 7, 10, 7, 4, 11, 3, 40, 17, 3, 27, 17, 21, 8, 17, 31, 16, 17, 43, 3, 18, 3, 4], parts: [[4, 5], [24, 25]] });
import { kernel, range, staticRange, type Tensor } from "warpsmith";

export const total = kernel({ block: 1 }, $.fn(0, { name: "total", role: "kernel", params: [{ name: "x", kind: "tensor", dtype: "f32", rank: 1 }, { name: "n", kind: "other" }] }, (x: Tensor<"f32", 1>, n: unknown) => { return $.body(0, () => {
  let sum = 0;
  $.forOf(2, $.call(1, range, [16], "range"), (i) => { sum = $.bin(3, "+", sum, $.get(4, x, i)); }, { names: ["sum"], at: [6], get: () => [sum], set: ($v) => { [sum] = $v; } });
  $.forOf(9, $.invoke(8, Object, "entries", [$.born({ a: 1 })], "Object.entries"), ($1) => { const [k, v] = $.elements(7, $1, 2, false);
    return $.if(10, $.bin(10, "===", v, 3), () => { return $.brk(11); }, null, { names: ["sum"], at: [6], get: () => [sum], set: ($v) => { [sum] = $v; } }, () => {
    sum = $.bin(12, "+", sum, v);
  });}, { names: ["sum"], at: [6], get: () => [sum], set: ($v) => { [sum] = $v; } });
  let last = 0;
  return $.then(21, $.forOf(14, $.call(13, staticRange, [4], "staticRange"), (i) => {
    return $.forOf(15, $.born([1, 2]), ($2) => { last = $2; 
      return $.if(16, $.bin(16, "===", i, last), () => { return $.cont(17, "outer"); }, null, null, () => {
      return $.if(18, $.bin(18, ">", sum, 3), () => { return $.ret(19); }, null, null);
    });}, { names: ["last"], at: [20], get: () => [last], set: ($v) => { [last] = $v; } });
  }, { names: ["last"], at: [20], get: () => [last], set: ($v) => { [last] = $v; } }, ["outer"]), () => {
  $.forOf(22, $.keys(23, $.born({ a: 1 })), (key) => { $.stmt(24, $.invoke(24, console, "log", [key], "console.log")); }, null);
  $.set(26, x, 0, sum);
}, null);}); }));
