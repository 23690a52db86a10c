// Takes every ninth element.
import { tensorSpec, TMA } from "warpsmith";

export const run = () => new TMA(tensorSpec("f16", [256, 64]), { box: [64, 64], elementStrides: [9, 1] }); // error: W4011
