import { open as $open } from "warpsmith/hooks";
const $ = $open(1, { file: "fields.in.ts", spans: [3, 10, 6, 3, 41, 6, 5, 3, 4, 5, 8, 5, 5, 3, 11, 5, 3, 16, 6, 15, 4, 6, 15, 7, 6, 5, 3, 6, 3, 6, 6, 3, 9, 7, 17, 12, 7, 18, 11, 7, 3, 11, 8, 15, 11, 8, 15, 14, 8, 15, 16, 9, 5, 11, 9, 5, 14, 9, 3, 16, 10, 3, 11, 10, 3, 22, 10, 3, 14, 11, 3, 27, 12, 10, 11, 12, 10, 18] });
$.fn(0, { name: "update", role: "helper", params: [{ name: "x", kind: "tensor", dtype: "f32", rank: 2 }, { name: "i", kind: "bare", type: "number", at: 1 }, { name: "state", kind: "other" }] }, update);
import { type Tensor } from "warpsmith";

function update(x: Tensor<"f32", 2>, i: number, state: { phase: boolean; count: number[] }) {
  "use kernel";
  $.update(4, $.get(2, x, i), $.bin(3, "+", i, 1), ($1) => $.bin(5, "+", $1, 2));
  $.set(10, $.get(9, x, $.first(i, i = $.un(8, "++", i))), 0, $.get(7, $.get(6, x, i), 0));
  $.set(13, state, "phase", $.un(11, "!", $.get(12, state, "phase")));
  const old = $.updatePost(15, $.get(14, state, "count"), i, ($2) => $.un(16, "--", $2));
  $.update(18, $.get(17, state, "count"), 0, ($3) => $.un(19, "++", $3));
  (($4, $5) => $.nullish(21, $.get(22, $4, $5), () => { $.set(21, $4, $5, old); }, null))($.get(20, state, "count"), 1);
  $.stmt(23, $.remove(23, (state as any), "phase"));
  return $.get(25, $.get(24, state, "count"), "length");
}
