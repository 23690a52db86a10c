import { open as $open } from "warpsmith/hooks";
const $ = $open(1, { file: "while.in.ts", spans: [1, 10, 6, 1, 20, 6, 4, 10, 10, 5, 20, 17, 5, 21, 10, 6, 9, 19, 6, 9, 15, 3, 7, 3, 3, 16, 4, 6, 36, 10, 4, 3, 18, 12, 12, 7, 10, 5, 5, 11, 9, 9, 11, 20, 9, 13, 3, 5, 14, 9, 5, 14, 16, 12] });
$.fn(0, { name: "search", role: "helper", params: [{ name: "n", kind: "bare", type: "number", at: 1 }] }, search);
function search(n: number) {
  "use kernel";
  let low = 0, high = n;
  $.loop(10, { test: () => $.bin(2, "<", low, high), update: null, body: () => {
    const middle = $.bin(3, ">>", ($.bin(4, "+", low, high)), 1);
    $.if(5, $.bin(5, "<", $.bin(6, "*", middle, middle), n), () => { low = $.bin(9, "+", middle, 1); }, () => { high = middle; }, { names: ["low", "high"], at: [7, 8], get: () => [low, high], set: ($v) => { [low, high] = $v; } });
  } }, { names: ["low", "high"], at: [7, 8], get: () => [low, high], set: ($v) => { [low, high] = $v; } });
  $.loop(11, { test: () => $.bin(11, ">", low, n), update: null, postTest: true, body: () => {
    low = $.un(12, "--", low);
    return $.if(13, $.bin(13, "===", low, 3), () => { return $.cont(14); }, null, null);
  } }, { names: ["low"], at: [7], get: () => [low], set: ($v) => { [low] = $v; } });
  $.label(15, "retry", () => {
    return $.if(16, $.bin(16, "<", n, 0), () => { return $.brk(17, "retry"); }, null, { names: ["low"], at: [7], get: () => [low], set: ($v) => { [low] = $v; } }, () => {
    low = n;
  });}, { names: ["low"], at: [7], get: () => [low], set: ($v) => { [low] = $v; } });
  return low;
}
