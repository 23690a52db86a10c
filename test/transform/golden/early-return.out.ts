import { open as $open } from "warpsmith/hooks";
const $ = $open(1, { file: "early-return.in.ts", spans: [3, 45, 46, 4, 15, 10, 5, 7, 11, 5, 20, 7, 8, 15, 13, 8, 15, 6, 8, 17, 3, 8, 15, 9, 8, 3, 6, 8, 5, 3, 8, 3, 9, 11, 10, 5, 11, 19, 6, 11, 32, 6, 11, 46, 6, 11, 1, 60, 13, 7, 7, 13, 16, 11, 14, 12, 8, 15, 5, 12, 17, 3, 9], parts: [[5, 6], [8, 9]] });
$.fn(11, { name: "clamp", role: "helper", params: [{ name: "v", kind: "bare", type: "number", at: 12 }, { name: "low", kind: "bare", type: "number", at: 13 }, { name: "high", kind: "bare", type: "number", at: 14 }] }, clamp);
import { blockIdx, kernel, type i32, type Tensor } from "warpsmith";

export const scale = kernel({ block: 128 }, $.fn(0, { name: "scale", role: "kernel", params: [{ name: "x", kind: "tensor", dtype: "f32", rank: 2 }, { name: "rows", kind: "scalar", dtype: "i32" }] }, function scale(x: Tensor<"f32", 2>, rows: i32) { return $.body(0, () => {
  const row = $.get(1, blockIdx, "x");
  return $.if(2, $.bin(2, ">=", row, rows), () => { return $.ret(3); }, null, null, () => { // this thread has nothing to do

  // the rest
  $.set(10, $.get(8, x, row), 0, $.bin(4, "*", $.get(7, $.get(5, x, row), 0), 2));
});}); }));

function clamp(v: number, low: number, high: number): number { return $.body(15, () => {
  "use kernel";
  return $.if(16, $.bin(16, "<", v, low), () => { return $.ret(17, low); }, () => { return $.if(18, $.bin(18, ">", v, high), () => {
    return $.ret(19, high);
  }, null, null); }, null, () => {
  return $.ret(20, v);
});}); }
