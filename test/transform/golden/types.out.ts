import { open as $open } from "warpsmith/hooks";
const $ = $open(1, { file: "types.in.ts", spans: [4, 29, 49, 7, 25, 18, 7, 25, 6, 8, 16, 20, 9, 3, 17, 9, 16, 3, 10, 10, 12, 10, 10, 7, 12, 10, 12, 14, 7, 21, 14, 7, 8, 14, 30, 42, 14, 50, 20, 14, 36, 35], binds: { 3: "list" } });
$.fn(8, { name: "assertNumber", role: "helper", params: [{ name: "n", kind: "other" }] }, assertNumber);
import { helper } from "warpsmith";

type Box<T> = { readonly v: T };
export const typed = helper($.fn(0, { name: "typed", role: "helper", params: [{ name: "x", kind: "other" }, { name: "box", kind: "other" }] }, <T extends number>(x: T, box?: Box<T>): x is T => {
  interface Local { a: number }
  const y = (x as unknown as number) satisfies number;
  const z: Local = $.born({ a: $.bin(1, "+", $.get(2, box!, "v"), <number>y) });
  const list = $.make(3, Array, [3], "Array") as readonly number[];
  $.stmt(4, $.call(4, assertNumber, [$.get(5, z, "a")], "assertNumber"));
  return $.bin(6, ">", $.get(7, list, 0)!, y);
}));
function assertNumber(n: unknown): asserts n is number {
  "use kernel";
  $.if(9, $.bin(9, "!==", $.un(10, "typeof", n), "number"), () => { throw $.raise(11, $.make(13, TypeError, [$.template(12, ["not a number: ", ""], [n])], "TypeError")); }, null, null);
}
