import { expect, it } from "vitest";
import { compose, linear, matrixAddresses, matrixGrid } from "../../../../../src/layout/index.ts";
import { equal } from "../../../../../src/layout/linear-layout.ts";
import { addressBases } from "../../../../../src/passes/tile-level/expand/shared-places.ts";

it.each([2, 4] as const)("lanes give the addresses of the rows of %i matrices as ldmatrix and stmatrix take them", (count) => {
  const wanted = compose(matrixAddresses(count), matrixGrid({ row: 2, col: count / 2 }, ["row", "col"]));
  expect(equal(linear({ lane: addressBases[count] }, { row: 16, col: 4 * count }), wanted)).toBe(true);
});
