import { open as $open } from "warpsmith/hooks";
const $ = $open(1, { file: "box.in.ts", spans: [1, 10, 7, 1, 25, 6, 1, 18, 5, 3, 15, 5, 3, 7, 5, 4, 7, 4, 5, 16, 5, 6, 5, 5, 6, 5, 13, 7, 12, 5, 7, 5, 4, 8, 5, 5, 8, 5, 7, 9, 12, 5, 9, 12, 7, 11, 3, 6, 12, 7, 9, 12, 7, 5, 12, 18, 5, 13, 12, 5, 13, 19, 4] });
$.fn(0, { name: "counter", role: "helper", params: [{ name: "start", kind: "bare", type: "number", at: 1 }, { name: "step", kind: "other" }] }, counter);
function counter(start: number, step = 1) { start = $.box(2, "start", start);
  "use kernel";
  let count = $.box(4, "count", $.get(3, start, "v"));
  let last = $.box(5, "last");
  const next = $.fn(6, { name: "next", role: "inner", params: [] }, () => {
    $.set(7, count, "v", $.bin(8, "+", $.get(7, count, "v"), step));
    $.set(10, last, "v", $.get(9, count, "v"));
    $.set(11, start, "v", $.un(12, "--", $.get(11, start, "v")));
    return $.first($.get(13, count, "v"), $.set(13, count, "v", $.un(14, "++", $.get(13, count, "v"))));
  });
  $.stmt(15, $.call(15, next, [], "next"));
  $.if(16, $.bin(16, ">", $.get(17, start, "v"), 0), () => { $.set(18, count, "v", 0); }, null, null);
  return $.born({ count: $.get(19, count, "v"), last: $.get(20, last, "v") });
}
