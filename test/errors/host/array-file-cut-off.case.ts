// A .npy file ends before its last element.
import { readArray } from "warpsmith/arrays";

export const run = () => readArray("test/unit/tools/arrays/fixtures/cut-off.npy"); // error: W7102
