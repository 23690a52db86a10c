// The name of a file does not say what format it is to have.
import { writeArray } from "warpsmith/arrays";

export const run = () => writeArray("x.bin", Float32Array.of(1, 2)); // error: W7106
