import { open as $open } from "warpsmith/hooks";
const $ = $open(1, { file: "fields.in.ts", spans: [3, 10, 6, 3, 41, 6, 5, 3, 4, 5, 5, 1, 5, 8, 5, 5, 3, 11, 5, 3, 16, 6, 15, 4, 6, 17, 1, 6, 15, 7, 6, 5, 3, 6, 3, 6, 6, 3, 9, 7, 18, 11, 7, 17, 12, 7, 3, 11, 8, 15, 11, 8, 15, 14, 8, 27, 1, 8, 15, 16, 9, 5, 11, 9, 5, 14, 9, 3, 16, 10, 3, 11, 10, 3, 22, 10, 3, 14, 11, 3, 27, 12, 10, 11, 12, 10, 18], parts: [[2, 3], [5, 4], [7, 8], [17, 18]] });
$.fn(0, { name: "update", role: "helper", params: [{ name: "x", kind: "tensor", dtype: "f32", rank: 2 }, { name: "i", kind: "bare", type: "number", at: 1 }, { name: "state", kind: "other" }] }, update);
import { type Tensor } from "warpsmith";

function update(x: Tensor<"f32", 2>, i: number, state: { phase: boolean; count: number[] }) {
  "use kernel";
  $.update(5, $.get(2, x, i), $.bin(4, "+", i, 1), ($1) => $.bin(6, "+", $1, 2));
  $.set(12, $.get(11, x, $.first(i, i = $.un(10, "++", i))), 0, $.get(9, $.get(7, x, i), 0));
  $.set(15, state, "phase", $.un(14, "!", $.test(13, $.get(13, state, "phase"), 13)));
  const old = $.updatePost(17, $.get(16, state, "count"), i, ($2) => $.un(19, "--", $2));
  $.update(21, $.get(20, state, "count"), 0, ($3) => $.un(22, "++", $3));
  (($4, $5) => $.nullish(24, $.get(25, $4, $5), () => { $.set(24, $4, $5, old); }, null))($.get(23, state, "count"), 1);
  $.stmt(26, $.remove(26, (state as any), "phase"));
  return $.get(28, $.get(27, state, "count"), "length");
}
