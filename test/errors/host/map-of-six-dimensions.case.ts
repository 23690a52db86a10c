// Makes a tensor map of six dimensions.
import { tensorSpec, TMA } from "warpsmith";

export const run = () => new TMA(tensorSpec("f16", [2, 2, 2, 2, 2, 64]), { box: [1, 1, 1, 1, 1, 64] }); // error: W4001
