// Gives kernel() a function that the transform has not seen.
import { kernel } from "warpsmith";

const make = new Function("return (x) => { x[0] = 1; }");

export const run = () => kernel({ block: 128 }, make()); // error: W7507
