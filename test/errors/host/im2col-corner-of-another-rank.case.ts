// Gives a corner with three numbers for a convolution in the plane.
import { tensorSpec, TMA } from "warpsmith";

export const run = () => TMA.im2col(tensorSpec("f16", [8, 32, 32, 64]), { lower: [0, -1, -1], upper: [-1, -1], channels: 64, pixels: 64 }); // error: W4015
