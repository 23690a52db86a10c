// Makes a box of 128 columns with a swizzle of 128 bytes.
import { tensorSpec, TMA } from "warpsmith";

export const run = () => new TMA(tensorSpec("f16", [256, 256]), { box: [64, 128], swizzle: "128B" }); // error: W4010
