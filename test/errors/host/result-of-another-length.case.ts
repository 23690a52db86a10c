// Compares results of two lengths.
import { assertClose } from "warpsmith/testing";

export const run = () => assertClose([1, 2, 3], [1, 2], { rtol: 0, atol: 1e-3 }); // error: W7903
