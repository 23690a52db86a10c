import { inspect } from "node:util";
import { expect, it } from "vitest";
import { type Device, openDevice } from "warpsmith";
import { reading } from "../../../src/runtime/awaited.ts";

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

it("refuses elements in a loop and a spread", () => {
  const elements = given() as unknown as Iterable<number>;
  expect(() => [...elements]).toThrow(/W7528 .*each element/);
  expect(() => {
    for (const _ of elements) break;
  }).toThrow(/W7528 .*\(await x\.read\(\)\)/s);
});

it.each(["zeros", "tensor", "empty", "sync", "dispose", "name", "kind"] as const)(
  "refuses %s of a device that nobody has waited for",
  async (member) => {
    const promise = openDevice("emulator");
    expect(() => (promise as unknown as Device)[member]).toThrow(/W7528 .*openDevice\(\) gives a promise.*await openDevice\(\)/s);
    expect(inspect(promise)).toContain("Promise");
    expect(() => (promise as unknown as Device)[Symbol.asyncDispose]).toThrow(/W7528 .*what `using` ends/);
    await (await promise).dispose();
  },
);

it("gives devices as before", async () => {
  await expect(openDevice("nowhere" as never)).rejects.toThrow(/W7022/);
  const [one, two] = await Promise.all([openDevice("emulator"), openDevice("emulator")]);
  expect([one.kind, two.name]).toEqual(["emulator", "emulator"]);
  await one.dispose();
  await two.dispose();
});
