import { openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";

await using gpu = await openDevice("emulator");
using x = gpu.tensor(
  "f16",
  [8, 8],
  Float32Array.from({ length: 64 }, (_, i) => (i % 9 === 0 ? 2 : 0)),
);
using y = matmul(x, x.transpose(1, 0));
console.log(...[...(await y.read())].slice(0, 10));
