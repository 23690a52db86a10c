import { type i32, kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

/** Writes something new again and again, and waits for what nobody writes. */
const endless = kernel({ block: 32, grid: 1 }, function endless(x: Tensor<"i32", 1>, step: i32) {
  let i = 0;
  while (x[0] === 0) {
    i += step;
    x[1 + threadIdx.x] = i;
  }
});

await using gpu = await openDevice();
using x = gpu.zeros("i32", [33]);
console.log("it begins");
endless.launch({}, x, 1);
await x.read();
