import { open as $open } from "warpsmith/hooks";
const $ = $open(1, { file: "operators.in.ts", spans: [3, 27, 37, 3, 31, 6, 3, 42, 6, 4, 11, 12, 4, 11, 7, 4, 11, 2, 4, 16, 2, 4, 21, 2, 5, 7, 11, 6, 5, 5, 7, 3, 11, 7, 8, 6, 8, 3, 7, 9, 3, 3, 10, 18, 3, 11, 18, 10, 11, 23, 5, 11, 35, 7, 12, 9, 16, 4, 7, 1, 12, 3, 22, 12, 3, 1, 13, 10, 16, 13, 11, 7, 13, 24, 2, 13, 29, 8, 13, 52, 5, 13, 40, 19] });
import { helper } from "warpsmith";

export const mix = helper($.fn(0, { name: "mix", role: "helper", params: [{ name: "a", kind: "bare", type: "number", at: 1 }, { name: "b", kind: "bare", type: "number", at: 2 }, { name: "c", kind: "other" }] }, (a: number, b: number, c: boolean) => {
  let n = $.bin(3, "-", $.bin(4, "+", $.un(5, "-", a), $.un(6, "~", b)), $.un(7, "+", a));
  n = $.bin(8, "+", a, // kept
    $.bin(9, "*", b, 2));
  n = $.bin(10, "+", n, $.bin(11, "**", a, b));
  n = $.bin(12, "<<", n, 1);
  n = $.un(13, "++", n);
  const before = $.first(n, n = $.un(14, "--", n));
  const either = $.cond(15, $.and(15, c, () => $.bin(16, "<", a, b), null), () => a, () => $.or(17, b, () => -1, null), null);
  $.if(20, $.un(21, "!", n), () => { n = $.nullish(18, either, () => before, null); }, null, { names: ["n"], at: [19], get: () => [n], set: ($v) => { [n] = $v; } });
  return $.cond(22, $.bin(22, "!==", ($.bin(23, "===", a, b)), $.un(24, "!", c)), () => $.un(25, "typeof", n), () => $.template(27, ["", " and ", ""], [a, $.bin(26, "+", b, 1)]), null);
}));
