import { open as $popen } from "warpsmith/schedule/hooks";
const $p = $popen(1, { file: "program-alone.in.ts", spans: [3, 42, 24, 4, 19, 8, 4, 3, 25, 4, 29, 4, 4, 31, 1], parts: [[3, 4]], binds: { 2: "i" } });
import { type Buffer, grid, program } from "warpsmith/schedule";

export const zero = program({ X: [16] }, $p.fn(0, { name: "zero", role: "program", params: [{ name: "X", kind: "buffer", dtype: "f32", rank: 1 }] }, (X: Buffer<"f32", 1>) => {
  $p.forOf(2, $p.call(1, grid, [16], "grid"), (i) => { $p.set(3, X, i, 0); }, null);
}));
