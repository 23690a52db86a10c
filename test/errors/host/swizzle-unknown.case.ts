// Asks for a swizzle of 256 bytes.
import { tensorSpec, TMA } from "warpsmith";

export const run = () => new TMA(tensorSpec("f16", [256, 64]), { box: [64, 64], swizzle: "256B" }); // error: W4014
