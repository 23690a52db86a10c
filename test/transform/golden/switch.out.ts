import { open as $open } from "warpsmith/hooks";
const $ = $open(1, { file: "switch.in.ts", spans: [1, 10, 6, 1, 20, 6, 1, 31, 6, 1, 1, 37, 5, 10, 1, 6, 10, 1, 8, 7, 6, 9, 10, 5, 10, 7, 9, 12, 5, 7, 4, 11, 1, 3, 7, 1, 4, 3, 12, 15, 3, 9] });
$.fn(0, { name: "choose", role: "helper", params: [{ name: "n", kind: "bare", type: "number", at: 1 }, { name: "m", kind: "bare", type: "number", at: 2 }] }, choose);
function choose(n: number, m: number) { return $.body(3, () => {
  "use kernel";
  let r = 0;
  return $.then(12, $.switch(10, n, [
    { at: 4, test: () => 0, body: () => { }, empty: true },
    { at: 5, test: () => 1, body: () => {
      r = 1; // both
      return $.brk(6); }, empty: false },
    { at: 7, test: () => $.bin(7, "+", m, 1), body: () => { return (() => {
      return $.ret(8, r);
    })(); }, empty: false },
    { at: 9, test: null, body: () => {
      r = 2; }, empty: false },
  ], { names: ["r"], at: [11], get: () => [r], set: ($v) => { [r] = $v; } }), () => {
  return $.ret(13, r);
}, null);}); }
