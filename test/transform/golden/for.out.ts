import { open as $open } from "warpsmith/hooks";
const $ = $open(1, { file: "for.in.ts", spans: [3, 30, 14, 3, 34, 6, 6, 27, 5, 6, 34, 3, 6, 39, 3, 5, 7, 5, 6, 12, 1, 6, 19, 1, 6, 3, 40, 6, 44, 14, 6, 53, 5, 7, 19, 5, 7, 26, 6, 7, 12, 1, 7, 3, 30, 8, 5, 18, 8, 15, 5, 10, 3, 8, 11, 9, 10, 11, 21, 6, 12, 5, 7, 15, 19, 5, 15, 26, 3, 15, 12, 1, 15, 3, 27, 16, 9, 7, 16, 18, 13, 15, 3, 29, 18, 10, 9, 18, 3, 17] });
import { helper } from "warpsmith";

export const powers = helper($.fn(0, { name: "powers", role: "helper", params: [{ name: "n", kind: "bare", type: "number", at: 1 }] }, (n: number) => { return $.body(0, () => {
  const kept: (() => number)[] = $.born([]);
  let total = 0;
  { let i = 0, j = 10; $.loop(8, { test: () => $.bin(2, "<", i, n), update: () => { (i = $.un(3, "++", i), j = $.un(4, "--", j)); }, body: () => { total = $.bin(9, "+", total, $.bin(10, "*", i, j)); } }, { names: ["total", "i", "j"], at: [5, 6, 7], get: () => [total, i, j], set: ($v) => { [total, i, j] = $v; } }); }
  { let i$1 = 0; $.loop(14, { test: () => $.bin(11, "<", i$1, n), update: () => { i$1 = $.bin(12, "+", i$1, 2); }, body: () => { const i = i$1;
    $.stmt(15, $.invoke(15, kept, "push", [$.fn(16, { name: "", role: "inner", params: [] }, () => i)], "kept.push"));
  } }, { names: ["i"], at: [13], get: () => [i$1], set: ($v) => { [i$1] = $v; } }); }
  $.loop(17, { test: null, update: null, body: () => {
    return $.if(18, $.bin(18, ">", total, 10), () => { return $.brk(19); }, null, { names: ["total"], at: [5], get: () => [total], set: ($v) => { [total] = $v; } }, () => {
    total = $.un(20, "++", total);
  });} }, { names: ["total"], at: [5], get: () => [total], set: ($v) => { [total] = $v; } });
  let i = 7;
  return $.then(27, (() => { let i = 0; return $.loop(24, { test: () => $.bin(21, "<", i, n), update: () => { i = $.un(22, "++", i); }, body: () => {
    return $.if(25, $.bin(25, "===", i, 3), () => { return $.ret(26, total); }, null, null);
  } }, { names: ["i"], at: [23], get: () => [i], set: ($v) => { [i] = $v; } }); })(), () => {
  return $.ret(29, $.bin(28, "+", total, i));
}, null);}); }));
