/** The picture of a program on the page that goes through the steps of a schedule. */
import { WarpsmithError } from "../../base/diag/index.ts";
import type { Program } from "../ir/types.ts";
import { drawnBuffer } from "./draw-buffer.ts";
import { laidOut, shapeOf } from "./laid-out.ts";
import { accessesTo } from "./touches.ts";

/** What is drawn beside each step: no more than takes some milliseconds. */
const [mostElements, mostTouches] = [2 ** 18, 2 ** 17];

/** Who writes the first parameter that the program writes; undefined where that is not known, or takes long to see. */
export function resultPicture(program: Program): string | undefined {
  try {
    const result = program.params.find((b) => accessesTo(laidOut(program, b.name, {}), b, "write").length > 0);
    if (!result || shapeOf(result).reduce((n, x) => n * x, 1) > mostElements) return undefined;
    return drawnBuffer(program, result.name, {}, mostTouches);
  } catch (error) {
    if (error instanceof WarpsmithError) return undefined;
    throw error;
  }
}
