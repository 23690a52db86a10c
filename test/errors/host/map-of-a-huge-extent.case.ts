// Makes a tensor map of more than 2^32 elements.
import { tensorSpec, TMA } from "warpsmith";

export const run = () => new TMA(tensorSpec("u8", [2 ** 33]), { box: [256] }); // error: W4004
