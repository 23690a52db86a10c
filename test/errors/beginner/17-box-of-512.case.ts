// Makes a box of 512 rows.
import { tensorSpec, TMA } from "warpsmith";

export const run = () => new TMA(tensorSpec("f16", [1024, 64]), { box: [512, 64] }); // error: W4008
