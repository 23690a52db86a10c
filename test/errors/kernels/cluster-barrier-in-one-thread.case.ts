// Lets one thread wait for the cluster.
import { cluster, kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128, cluster: 2 }, function wrong(x: Tensor<"f32", 1>) {
  if (threadIdx.x === 0) {
    x[0] = 1;
    cluster.sync(); // error: W2048
  }
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
