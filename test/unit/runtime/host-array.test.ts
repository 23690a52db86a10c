import { inspect } from "node:util";
import { expect, it } from "vitest";
import { reading } from "../../../src/runtime/host-array.ts";

const data = new Float32Array([1, 2, 3]);
const given = () => reading(Promise.resolve(data));

it("is a promise in every respect", async () => {
  expect(await given()).toBe(data);
  expect(await Promise.all([given(), given()])).toEqual([data, data]);
  expect(await given().then((d) => d.length)).toBe(3);
  expect(given()).toBeInstanceOf(Promise);
  expect(inspect(given())).toContain("Promise");
  await expect(reading(Promise.reject(new Error("lost")))).rejects.toThrow("lost");
  await expect(given().finally(() => {})).resolves.toBe(data);
});

it.each(["0", "17", "length", "map", "slice", "at"])("refuses %s, which only the data has", (key) => {
  expect(() => Reflect.get(given(), key)).toThrow(/W7528 .*promise/);
});
