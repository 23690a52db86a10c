// Gives a box of one dimension for a matrix.
import { tensorSpec, TMA } from "warpsmith";

export const run = () => new TMA(tensorSpec("f16", [256, 64]), { box: [64] }); // error: W4002
