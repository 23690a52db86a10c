import { kernel, range, staticRange, type Tensor } from "warpsmith";

export const total = kernel({ block: 1 }, (x: Tensor<"f32", 1>, n: unknown) => {
  let sum = 0;
  for (const i of range(16)) sum += x[i];
  for (const [k, v] of Object.entries({ a: 1 })) {
    if (v === 3) break;
    sum += v;
  }
  let last = 0;
  outer: for (const i of staticRange(4)) {
    for (last of [1, 2]) {
      if (i === last) continue outer;
      if (sum > 3) return;
    }
  }
  for (const key in { a: 1 }) console.log(key);
  x[0] = sum;
});
