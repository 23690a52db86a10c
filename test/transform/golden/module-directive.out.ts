"use kernel";
import { open as $open } from "warpsmith/hooks";
const $ = $open(1, { file: "module-directive.in.ts", spans: [5, 25, 5, 5, 34, 6, 6, 10, 5, 8, 21, 14, 8, 25, 6, 8, 36, 5, 9, 59, 6, 10, 3, 8] });
$.fn(0, { name: "twice", role: "helper", params: [{ name: "n", kind: "bare", type: "number", at: 1 }] }, twice);
// every function here runs on the GPU
import { kernel } from "warpsmith";

export default function twice(n: number) {
  return $.bin(2, "*", n, 2);
}
export const half = $.fn(3, { name: "half", role: "helper", params: [{ name: "n", kind: "bare", type: "number", at: 4 }] }, (n: number) => $.bin(5, "/", n, 2));
export const k = kernel({ grid: (n) => n * 2, block: 1 }, $.fn(6, { name: "k", role: "kernel", params: [{ name: "n", kind: "other" }] }, (n) => {
  $.stmt(7, $.call(7, twice, [n], "twice"));
}));
