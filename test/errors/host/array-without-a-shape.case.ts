// A list of numbers is to be written without a type and a shape.
import { writeArrays } from "warpsmith/arrays";

export const run = () => writeArrays("x.npz", { x: [1, 2] as never }); // error: W7107
