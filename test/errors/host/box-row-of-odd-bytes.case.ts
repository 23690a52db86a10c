// Makes a box whose rows are 14 bytes.
import { tensorSpec, TMA } from "warpsmith";

export const run = () => new TMA(tensorSpec("f16", [256, 64]), { box: [64, 7] }); // error: W4009
