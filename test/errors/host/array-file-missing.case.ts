// The file of an array is not there.
import { readArray } from "warpsmith/arrays";

export const run = () => readArray("weigths.npy"); // error: W7101
