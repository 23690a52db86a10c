import { open as $open } from "warpsmith/hooks";
const $ = $open(1, { file: "comments.in.ts", spans: [4, 10, 3, 4, 30, 6, 7, 7, 5, 6, 20, 3, 8, 5, 8, 10, 8, 8, 11, 19, 8, 11, 3, 25, 12, 5, 33, 12, 12, 26, 12, 12, 4, 12, 14, 1, 14, 5, 13, 18, 5, 8, 13, 3, 7], parts: [[10, 11]] });
$.fn(0, { name: "add", role: "helper", params: [{ name: "x", kind: "other" }, { name: "n", kind: "bare", type: "number", at: 1 }] }, add);
import { range } from "warpsmith";

/** Adds up. */
function add(x: number[], n: number) {
  "use kernel";
  /* before */ let sum = 0; // after
  $.if(2, $.bin(2, ">", n, 0), () => { // positive
    sum = $.bin(4, "+", sum, 1); },  // one
  // not positive
  () => { sum = $.bin(5, "-", sum, 1); }, { names: ["sum"], at: [3], get: () => [sum], set: ($v) => { [sum] = $v; } });
  $.forOf(7, $.call(6, range, [n], "range"), (i) => { // each
    sum = $.bin(8, "+", sum, $.bin(9, "*", $.get(10, x, i) /* the element */ , 2)); }, { names: ["sum"], at: [3], get: () => [sum], set: ($v) => { [sum] = $v; } });
  $.loop(14, { test: () => $.bin(12, ">", sum, // much
    10), update: null, body: () => {
    // halve it
    sum = $.bin(13, "/", sum, 2);
  } }, { names: ["sum"], at: [3], get: () => [sum], set: ($v) => { [sum] = $v; } });
  return /* what it came to */ sum;
  // the end
}
