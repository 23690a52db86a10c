// Leaves no place for the window.
import { tensorSpec, TMA } from "warpsmith";

export const run = () => TMA.im2col(tensorSpec("f16", [8, 32, 32, 64]), { lower: [0, 0], upper: [-40, 0], channels: 64, pixels: 64 }); // error: W4018
