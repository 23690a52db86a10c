// Makes a tensor map of rows of 50 elements.
import { tensorSpec, TMA } from "warpsmith";

export const run = () => new TMA(tensorSpec("f16", [256, 50]), { box: [64, 32] }); // error: W4005
