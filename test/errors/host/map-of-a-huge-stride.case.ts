// Makes a tensor map of rows of a terabyte.
import { tensorSpec, TMA } from "warpsmith";

export const run = () => new TMA(tensorSpec("f64", [2, 256, 2 ** 30]), { box: [1, 1, 16] }); // error: W4006
