import { openDevice } from "warpsmith";
import { loadPtx } from "warpsmith/ptx";

await using gpu = await openDevice();
const module = loadPtx({ file: `${import.meta.dirname}/saxpy.ptx` });
const x = gpu.tensor("f32", [1000], Float32Array.from({ length: 1000 }, (_, i) => i));
const y = gpu.zeros("f32", [1000]);

module.variable("a", { dtype: "f32" }).write([0.5]);
module.entry("saxpy").launch({ grid: 8, block: 128 }, 1000, x, y);
console.log(gpu.name, await y.read());
