// Fills what is outside with NaN in a map of integers.
import { tensorSpec, TMA } from "warpsmith";

export const run = () => new TMA(tensorSpec("i32", [256, 64]), { box: [64, 32], oobFill: "nan" }); // error: W4013
