// Attention whose function of scores asks for data by a name that none was given.
import { helper, openDevice, type Tensor } from "warpsmith";
import { attention } from "warpsmith/kernels";

type Wanted = { readonly slope: Tensor<"f32", 1> };

export const run = async () => {
  await using gpu = await openDevice();
  const [x, slopes] = [gpu.zeros("f16", [1, 2, 100, 64]), gpu.zeros("f32", [2])];
  const score = helper((score: number, _query: number, _key: number, head: number, _batch: number, data: Wanted) => {
    return score * data.slope.at(head).load(); // error: W2076
  });
  // @ts-expect-error: the name is `slopes`
  attention(x, x, x, { score, data: { slopes } });
};
