// Loads 512 channels at once.
import { tensorSpec, TMA } from "warpsmith";

export const run = () => TMA.im2col(tensorSpec("f16", [8, 32, 32, 512]), { lower: [0, 0], upper: [0, 0], channels: 512, pixels: 64 }); // error: W4017
