/** Tensor maps in the driver's own bits: recorded answers of an H200 to 300 maps made by chance. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { elementBytes } from "../../../../../src/base/element-types.ts";
import { decodeTensorMap, encodeTensorMap } from "../../../../../src/emulator/machine/units/index.ts";
import { askedMaps, hexOf } from "../../../../tensor-maps/maps.ts";

const file = new URL("../../../../recorded/tensor-maps.json", import.meta.url);
const { answers } = JSON.parse(readFileSync(file, "utf8")) as { answers: string[] };

const asked = askedMaps.map(({ address, map }, i) => [i, Number(address), map, answers[i] ?? ""] as const);

describe("tensor maps", () => {
  it("have an answer each", () => expect(answers.length).toBe(askedMaps.length));
  // The driver takes no window that is larger than shared memory.
  it.each(asked.filter(([, , , answer]) => !answer.startsWith("refused")))(
    "map %i is encoded as the driver does",
    (...[, address, map, answer]) => {
      expect(hexOf(encodeTensorMap(address, map))).toBe(answer);
    },
  );
  it.each(asked)("map %i comes back, but for types that are mere bits", (_, address, map) => {
    const { dtype, ...rest } = decodeTensorMap({ bytes: encodeTensorMap(address, map), offset: 0 });
    const { dtype: given, ...others } = map;
    expect(rest).toEqual({ ...others, address });
    expect(elementBytes[dtype]).toBe(elementBytes[given]);
  });
});
