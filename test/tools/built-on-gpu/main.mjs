// Launches the kernels of a build from Node, by `warpsmith/runtime` alone: nothing here compiles.
import { openDevice } from "warpsmith/runtime";
import { gemm, scale } from "./kernels.js";

const device = await openDevice(process.argv[2] ?? "cuda");
const n = 512;
let wrong = 0;
for (const count of [1, 127, 1000, 100003]) {
  const x = Float32Array.from({ length: count }, (_, i) => (i % 1000) / 8);
  const to = device.zeros("f32", [count]);
  scale.launch({}, device.tensor("f32", [count], x), to, 3);
  wrong += (await to.read()).filter((y, i) => y !== 3 * x[i]).length;
}
console.log(`scale: ${wrong} wrong`);

const eighths = (i, j) => ((i * 7 + j * 3) % 11) - 5;
const matrix = (of) => Array.from({ length: n * n }, (_, e) => of(Math.floor(e / n), e % n) / 8);
const [a, b] = [matrix(eighths), matrix((i, j) => eighths(j, i * 5))];
const d = device.zeros("f16", [n, n]);
gemm.launch({}, device.tensor("f16", [n, n], a), device.tensor("f16", [n, n], b), d);
const product = await d.read();
let off = 0;
for (let e = 0; e < n * n; e += 61) {
  const [i, j] = [Math.floor(e / n), e % n];
  let sum = 0;
  for (let l = 0; l < n; l++) sum += eighths(i, l) * eighths(j, l * 5);
  if (Math.abs(product[e] - sum / 64) > Math.abs(sum / 64) * 2 ** -11 + 1e-7) off++;
}
console.log(`gemm: ${off} wrong`);
await device.dispose();
process.exitCode = wrong + off > 0 ? 1 : 0;
