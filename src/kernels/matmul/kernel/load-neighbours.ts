import type { Tensor } from "warpsmith";
import type { HalfType, Vector } from "../problem/problem.ts";

/** `width` neighbours of a line from that place on, `vector` at a time; what lies outside of `limits`, [lines, columns], is 0. */
export function loadNeighbours(
  from: Tensor<HalfType, 2>,
  [line, col]: readonly [line: number, col: number],
  width: number,
  vector: Vector,
  limits: readonly [lines: number, columns: number],
): readonly number[] {
  "use kernel";
  return Array.from({ length: width / vector }, (_, j) => {
    const options = { pred: line < limits[0] && col + j * vector < limits[1] };
    const place = from.at(line, col + j * vector);
    return vector === 1 ? [place.load(options)] : place.load({ ...options, vector });
  }).flat();
}
