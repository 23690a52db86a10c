import { open as $$1open } from "warpsmith/hooks";
const $$1 = $$1open(1, { file: "names-taken.in.ts", spans: [4, 42, 38, 6, 14, 3, 6, 3, 24, 6, 32, 5, 5, 7, 2, 6, 44, 6, 7, 3, 4] });
import * as ws from "warpsmith";

const $ = 1, $1 = 2;
export const k = ws.kernel({ block: 1 }, $$1.fn(0, { name: "k", role: "kernel", params: [{ name: "x", kind: "tensor", dtype: "i32", rank: 1 }, { name: "n", kind: "scalar", dtype: "i32" }] }, (x: ws.Tensor<"i32", 1>, n: ws.i32) => {
  let $v = 0;
  $$1.forOf(2, $$1.born([$$1.born([$])]), ($$11) => { const [a] = $$1.elements(1, $$11, 1, false); $$1.if(3, $$1.bin(3, "<", a, n), () => { $v = $$1.bin(5, "+", a, $1); }, null, { names: ["$v"], at: [4], get: () => [$v], set: ($$1v) => { [$v] = $$1v; } }); }, { names: ["$v"], at: [4], get: () => [$v], set: ($$1v) => { [$v] = $$1v; } });
  $$1.set(6, x, 0, $v);
}));
