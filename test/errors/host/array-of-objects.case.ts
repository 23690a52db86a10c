// A .npy file holds objects of Python.
import { readArray } from "warpsmith/arrays";

export const run = () => readArray("test/unit/tools/arrays/fixtures/objects.npy"); // error: W7103
