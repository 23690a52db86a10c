// Compares a result that is wrong in one element.
import { assertClose } from "warpsmith/testing";

export const run = () => assertClose([1, 2, 3], [1, 2.5, 3], { rtol: 0, atol: 1e-3 }); // error: W7902
