// Multiplies a matrix that has too few elements.
import { referenceMatmul } from "warpsmith/testing";

export const run = () => referenceMatmul([1, 2, 3], [1, 2, 3, 4], { M: 2, N: 2, K: 2 }); // error: W7904
