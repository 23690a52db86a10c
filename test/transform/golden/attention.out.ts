import { open as $open } from "warpsmith/hooks";
const $ = $open(1, { file: "attention.in.ts", spans: [6, 46, 76, 7, 17, 63, 8, 3, 22, 9, 37, 5, 10, 12, 17, 10, 11, 18, 10, 31, 7, 11, 23, 17, 11, 29, 7, 11, 29, 10, 11, 7, 34, 11, 42, 41, 11, 49, 15, 11, 58, 5, 11, 70, 8, 13, 38, 7, 14, 20, 43, 15, 22, 30, 15, 42, 6, 16, 9, 72, 16, 15, 16, 16, 32, 32, 16, 32, 7, 16, 43, 21, 16, 43, 14, 16, 43, 8, 16, 71, 9, 16, 9, 77, 17, 15, 44, 17, 71, 25, 17, 80, 12, 17, 94, 1, 18, 23, 11, 18, 7, 28, 19, 13, 52, 19, 19, 10, 19, 31, 10, 20, 9, 13, 22, 19, 43, 22, 28, 6, 22, 36, 25, 22, 45, 12, 22, 59, 1, 23, 13, 8, 17, 11, 1, 23, 27, 36, 23, 35, 27, 23, 45, 16, 17, 61, 7], parts: [[12, 13], [29, 30, 31], [38, 39, 40], [40, 41, 42], [45, 46], [46, 47]], binds: { 1: "tiles", 16: "keys", 28: "S", 29: "largest", 34: "S", 38: "largest", 45: "S" } });
// Like flash attention: partitions, closures that build tiles, values carried through a loop, products in flight.
import { fast, kernel, range, sharedMemory, tile, type TMA, warpgroup, wgmma, WGMMAMatrix, type Accumulator, type Static } from "warpsmith";

const ROWS = 64, COLS = 128;

export const attend = kernel({ block: 256 }, $.fn(0, { name: "attend", role: "kernel", params: [{ name: "q", kind: "tma", dtype: "f16", rank: 3 }, { name: "k", kind: "tma", dtype: "f16", rank: 3 }, { name: "causal", kind: "static" }] }, function attend(q: TMA<"f16", 3>, k: TMA<"f16", 3>, causal: Static<boolean>) {
  const tiles = $.invoke(1, sharedMemory, "alloc", ["f16", $.born([2, COLS, ROWS]), $.born({ swizzle: "128B" })], "sharedMemory.alloc");
  $.stmt(2, $.invoke(2, warpgroup, "specialize", [$.born({
    producer: $.born({ registers: 24, run: $.fn(3, { name: "run", role: "inner", params: [] }, () => { return $.body(3, () => {
      return $.if(5, $.un(5, "!", $.test(4, $.invoke(4, warpgroup, "elect", [], "warpgroup.elect"), 4)), () => { return $.ret(6); }, null, null, () => {
      $.forOf(10, $.call(7, range, [$.get(9, $.get(8, q, "shape"), 1)], "range"), (j) => { $.stmt(11, $.invoke(11, k, "load", [$.invoke(12, tiles, "at", [$.bin(13, "%", j, 2)], "tiles.at"), $.born([0, $.bin(14, "*", j, COLS), 0])], "k.load")); }, null);
    });}); }) }),
    consumer: $.born({ registers: 240, run: $.fn(15, { name: "run", role: "inner", params: [{ name: "wg", kind: "other" }] }, (wg) => {
      const keys = $.invoke(16, WGMMAMatrix, "descriptor", [tiles, $.born([ROWS, COLS])], "WGMMAMatrix.descriptor");
      const masked = $.fn(17, { name: "masked", role: "inner", params: [{ name: "S", kind: "other" }, { name: "j", kind: "bare", type: "number", at: 18 }] }, (S: Accumulator, j: number) =>
        $.get(27, $.invoke(19, S, "map", [$.fn(20, { name: "", role: "inner", params: [{ name: "s", kind: "other" }, { name: "row", kind: "other" }, { name: "col", kind: "other" }] }, (s, row, col) => $.cond(21, $.or(21, $.un(22, "!", causal), () => $.bin(23, "<=", $.bin(24, "+", $.bin(25, "*", j, COLS), col), row), null), () => s, () => $.un(26, "-", Infinity), null))], "S.map"), "tile"));
      let S = $.invoke(28, WGMMAMatrix, "accumulator", ["f32", $.born([ROWS, COLS])], "WGMMAMatrix.accumulator"), largest = $.invoke(29, tile, "max", [$.call(30, masked, [S, 0], "masked"), 1], "tile.max");
      $.forOf(33, $.call(32, range, [1, 8], "range"), (j) => {
        S = $.invoke(34, S, "mma", [$.invoke(35, keys, "at", [0], "keys.at"), $.invoke(36, keys, "at", [1], "keys.at"), $.born({ accumulate: false })], "S.mma"); // the next scores
        $.stmt(37, $.invoke(37, wgmma, "wait", [0], "wgmma.wait"));
        const before = largest;
        largest = $.invoke(38, Math, "max", [before, $.invoke(40, tile, "max", [$.call(41, masked, [S, j], "masked"), 1], "tile.max")], "Math.max");
        $.if(43, $.bin(43, "===", wg, 1), () => { S = $.invoke(45, S, "scale", [$.invoke(46, fast, "exp2", [$.bin(47, "-", before, largest)], "fast.exp2")], "S.scale"); }, null, { names: ["S"], at: [44], get: () => [S], set: ($v) => { [S] = $v; } });
      }, { names: ["S", "largest"], at: [44, 48], get: () => [S, largest], set: ($v) => { [S, largest] = $v; } });
    }) }),
  })], "warpgroup.specialize"));
}));
