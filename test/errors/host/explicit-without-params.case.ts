// Writes a kernel with explicit(…) and names no parameters.
import { explicit, kernel, type Tensor } from "warpsmith";

export const run = () => kernel({ block: 128 }, explicit((x: Tensor<"f32", 1>) => x.at(0).store(1))); // error: W7517
