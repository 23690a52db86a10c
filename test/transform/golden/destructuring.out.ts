import { open as $open } from "warpsmith/hooks";
const $ = $open(1, { file: "destructuring.in.ts", spans: [3, 30, 76, 3, 33, 19, 3, 40, 12, 3, 31, 34, 3, 72, 20, 4, 11, 1, 4, 14, 20, 4, 19, 8, 4, 36, 9, 4, 37, 7, 4, 36, 12, 5, 7, 6, 6, 3, 6, 7, 3, 13, 7, 4, 8, 8, 6, 1, 8, 12, 8, 9, 16, 1, 9, 19, 1, 9, 26, 11, 9, 3, 35, 9, 39, 10, 9, 44, 5, 5, 22, 1] });
import { helper } from "warpsmith";

export const shapes = helper($.fn(0, { name: "shapes", role: "helper", params: [{ name: "{ shape: [rows, cols], ...others }", kind: "other" }, { name: "[first = 1, ...rest]", kind: "other" }] }, ($1, $5) => { let $2 = $.elements(2, $.get(1, $1, "shape"), 2, false), rows = $2[0], cols = $2[1], others = $.born((({ ["shape"]: $4, ...$3 }) => $3)($.spread(3, $1))); let [first = 1, rest] = $.elements(4, $5, 1, true);
  const $6 = others, a = $.get(5, $6, "a"), $7 = $.get(6, $6, "b"), $8 = ($7 === undefined ? $.born({}) : $7), $9 = $.get(7, $8, "c"), c = ($9 === undefined ? rows : $9), d = $.get(10, $6, $.key(8, $.bin(9, "+", "k", a)));
  let [x, y] = $.elements(11, rest, 2, false), z = first;
  [x, y] = $.elements(12, $.born([y, x]), 2, false);
  (($10) => { const $11 = $.elements(13, $10, 2, false); $.set(14, others, "n", $11[0]); z = $11[1]; })(rest);
  (($12) => { x = $.get(15, $12, "x"); $.set(16, others, "m", $.get(16, $12, "y")); })($.born({ x: 1, y: 2 }));
  $.forOf(20, $.get(19, others, "list"), ($13) => { const p = $.get(17, $13, "p"), q = $.get(18, $13, "q"); z = $.bin(21, "+", z, $.bin(22, "*", p, q)); }, { names: ["z"], at: [23], get: () => [z], set: ($v) => { [z] = $v; } });
  return $.born([a, c, d, x, y, z, cols]);
}));
