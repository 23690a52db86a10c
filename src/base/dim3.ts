/** Three numbers, one for each axis. */
import type { Dim3 } from "./types.ts";

/** What `f` makes of each of them. */
export const mapDim3 = ([x, y, z]: Dim3, f: (n: number, axis: number) => number): Dim3 => [f(x, 0), f(y, 1), f(z, 2)];
