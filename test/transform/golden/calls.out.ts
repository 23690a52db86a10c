import { open as $open } from "warpsmith/hooks";
const $ = $open(1, { file: "calls.in.ts", spans: [3, 47, 70, 4, 11, 40, 5, 3, 43, 5, 10, 11, 6, 7, 31, 6, 13, 11, 6, 26, 11, 7, 3, 31, 7, 9, 11, 7, 22, 11, 8, 3, 25, 8, 18, 9, 9, 3, 13, 10, 3, 8, 11, 3, 28, 11, 22, 8, 11, 3, 12, 12, 3, 17, 19, 6, 7, 18, 6, 8, 20, 3, 19, 20, 3, 10], parts: [[4, 5, 6], [7, 8, 9], [14, 15]], binds: { 1: "D", 4: "D" } });
import { kernel, TMA, WGMMAMatrix, wgmma, range } from "warpsmith";

export const product = kernel({ block: 128 }, $.fn(0, { name: "product", role: "kernel", params: [{ name: "a", kind: "tma", dtype: "f16", rank: 2 }, { name: "tiles", kind: "other" }, { name: "extra", kind: "other", optional: true }] }, (a: TMA<"f16", 2>, tiles: any, extra?: { f?: (n: number) => void }) => {
  let D = $.invoke(1, WGMMAMatrix, "accumulator", ["f32", $.born([64, 64])], "WGMMAMatrix.accumulator");
  $.stmt(2, $.invoke(2, a, "load", [$.invoke(3, tiles, "at", [0], "tiles.at"), $.born([0, 0]), $.born({ pred: true })], "a.load"));
  D = $.invoke(4, D, "mma", [$.invoke(5, tiles, "at", [0], "tiles.at"), $.invoke(6, tiles, "at", [1], "tiles.at")], "D.mma"); // D += A @ B
  $.stmt(7, $.invoke(7, D, "mma", [$.invoke(8, tiles, "at", [0], "tiles.at"), $.invoke(9, tiles, "at", [1], "tiles.at")], "D.mma"));
  $.stmt(10, $.make(10, TMA, [tiles, ...$.spread(11, $.born([1, 2]))], "TMA"));
  $.stmt(12, (($1) => $1 === null || $1 === undefined ? undefined : $.invokeOpt(12, $1, "f", () => [3], "extra?.f", "method"))(extra));
  $.stmt(13, $.getOpt(13, extra, "f"));
  $.stmt(14, (($2) => $2 === null || $2 === undefined ? undefined : $.invoke(14, $.invoke(16, $2, "at", [0], "tiles?.at"), "store", [$.call(15, range, [2], "range")], "tiles?.at(0).store"))(tiles));
  $.stmt(17, $.invoke(17, tiles, "at", [
    // the stage
    1,
    2, // and more
  ], "tiles.at"));
  $.stmt(18, $.invoke(18, $.invoke(19, wgmma, "commit", [], "wgmma.commit"), "wait", [0], "wgmma.commit().wait"));
  $.stmt(20, (($3) => $.tagged(20, $3, $.get(21, $3, "raw"), ["a\n", ""], ["a\\n", ""], [D], "String.raw"))(String));
}));
