// Writes a specification by hand, and leaves a stride out.
import { TMA } from "warpsmith";

export const run = () => new TMA({ dtype: "f16", rank: 2, shape: [64, 64], strides: [64] }, { box: [64, 64] }); // error: W7045
