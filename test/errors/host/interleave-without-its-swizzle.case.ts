// Interleaves with another swizzle than the one there is.
import { tensorSpec, TMA } from "warpsmith";

export const run = () => new TMA(tensorSpec("f16", [4, 64, 64]), { box: [1, 64, 16], interleave: "32B", swizzle: "64B" }); // error: W4012
