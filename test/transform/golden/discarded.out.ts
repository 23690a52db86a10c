import { open as $open } from "warpsmith/hooks";
const $ = $open(1, { file: "discarded.in.ts", spans: [1, 10, 3, 4, 3, 12, 3, 7, 1, 5, 3, 1, 5, 3, 8, 5, 8, 3, 6, 3, 18, 6, 7, 3, 6, 13, 8, 6, 18, 3, 7, 3, 3, 7, 8, 3, 8, 3, 1] });
$.fn(0, { name: "act", role: "helper", params: [{ name: "p", kind: "other" }, { name: "q", kind: "other" }, { name: "f", kind: "other" }] }, act);
function act(p: boolean, q: boolean, f: () => void) {
  "use kernel";
  let k = 0;
  $.if(1, p, () => { k = 1; }, null, { names: ["k"], at: [2], get: () => [k], set: ($v) => { [k] = $v; } });
  $.if(4, $.un(3, "!", p), () => { $.stmt(5, $.call(5, f, [], "f")); }, null, null);
  $.if(6, p, () => { $.stmt(7, $.call(7, f, [], "f")); }, () => { $.if(8, q, () => { k = $.un(9, "++", k); }, null, { names: ["k"], at: [2], get: () => [k], set: ($v) => { [k] = $v; } }); }, { names: ["k"], at: [2], get: () => [k], set: ($v) => { [k] = $v; } });
  (k = $.un(10, "++", k), $.stmt(11, $.call(11, f, [], "f")));
  $.stmt(12, p);
}
