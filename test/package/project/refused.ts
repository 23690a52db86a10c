import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const narrow = kernel({ block: 32 }, function narrow(x: Tensor<"f32", 1>) {
  const place = x.at(threadIdx.x);
  while (place.load() > 0) {
    const sizes = [1, 2, 3];
    if (sizes.includes(threadIdx.x)) place.store(0);
  }
});
narrow.compile(tensorSpec("f32", [32]));
