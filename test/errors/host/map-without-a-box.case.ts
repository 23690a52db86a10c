// Leaves out the box of a tensor map.
import { tensorSpec, TMA } from "warpsmith";

export const run = () => new TMA(tensorSpec("f16", [256, 64]), { swizzle: "128B" }); // error: W4019
