import { open as $open } from "warpsmith/hooks";
const $ = $open(1, { file: "types.in.ts", spans: [4, 29, 49, 4, 51, 1, 7, 25, 18, 7, 25, 6, 8, 16, 20, 9, 3, 17, 9, 16, 3, 10, 10, 12, 10, 10, 7, 12, 10, 12, 14, 7, 21, 14, 7, 8, 14, 30, 42, 14, 50, 20, 14, 36, 35], binds: { 4: "list" } });
$.fn(9, { name: "assertNumber", role: "helper", params: [{ name: "n", kind: "other" }] }, assertNumber);
import { helper } from "warpsmith";

type Box<T> = { readonly v: T };
export const typed = helper($.fn(0, { name: "typed", role: "helper", params: [{ name: "x", kind: "bare", type: "number", at: 1 }, { name: "box", kind: "other" }] }, <T extends number>(x: T, box?: Box<T>): x is T => {
  interface Local { a: number }
  const y = (x as unknown as number) satisfies number;
  const z: Local = $.born({ a: $.bin(2, "+", $.get(3, box!, "v"), <number>y) });
  const list = $.make(4, Array, [3], "Array") as readonly number[];
  $.stmt(5, $.call(5, assertNumber, [$.get(6, z, "a")], "assertNumber"));
  return $.bin(7, ">", $.get(8, list, 0)!, y);
}));
function assertNumber(n: unknown): asserts n is number {
  "use kernel";
  $.if(10, $.bin(10, "!==", $.un(11, "typeof", n), "number"), () => { throw $.raise(12, $.make(14, TypeError, [$.template(13, ["not a number: ", ""], [n])], "TypeError")); }, null, null);
}
