import { kernel, type Tensor } from "warpsmith";

export const softmax = kernel({ block: 32 }, function softmax(x: Tensor<"f32", 1>, y: Tensor<"f32", 1>) {
  const column = (c: number) => c * 32;
  const values: number[] = [];
  for (let c = 0; c < 4; c++) values.push(x[column(c)]);
  let largest = -Infinity;
  values.forEach((v) => {
    largest = Math.max(largest, v);
  });
  function store(i: number, v: number) {
    if (i < 0) return;
    y[i] = v;
  }
  values.map((v, i) => store(column(i), Math.exp(v - largest)));
});
