// Reads a thread index outside every kernel.
import { threadIdx } from "warpsmith";

export const run = () => threadIdx.x + 1; // error: W2001
