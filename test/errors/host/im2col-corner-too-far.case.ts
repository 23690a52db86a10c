// Moves a corner of the window by 200.
import { tensorSpec, TMA } from "warpsmith";

export const run = () => TMA.im2col(tensorSpec("f16", [8, 32, 32, 64]), { lower: [-200, 0], upper: [0, 0], channels: 64, pixels: 64 }); // error: W4016
