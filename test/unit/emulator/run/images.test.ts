import { expect, it } from "vitest";
import { GlobalMemory } from "../../../../src/emulator/machine/memory.ts";
import { Images } from "../../../../src/emulator/run/images.ts";
import type { EmulatorModule } from "../../../../src/emulator/run/module.ts";

const ptx = ".version 8.4\n.target sm_90a\n.address_size 64\n.global .u32 counter = 7;\n.visible .entry k() { ret; }\n";

it("kernels of one text share its variables, which are freed with the last of them", () => {
  const memory = new GlobalMemory();
  const images = new Images(memory);
  const places: number[] = [];
  const load = () =>
    images.load(ptx, "k", (image) => {
      places.push(...image.variables);
      return {} as EmulatorModule;
    });
  const isThere = (place: number | undefined) => memory.find(place ?? -1, 4) !== undefined;
  const [one, other] = [load(), load()];
  expect(places[0]).toBe(places[1]);
  one.unload();
  expect(isThere(places[0])).toBe(true);
  other.unload();
  expect(isThere(places[0])).toBe(false);
  load();
  expect(places[2]).not.toBe(places[0]);
  expect(isThere(places[2])).toBe(true);
});

it("a text whose kernel cannot be made leaves nothing behind", () => {
  const memory = new GlobalMemory();
  const images = new Images(memory);
  let place = -1;
  const load = () =>
    images.load(ptx, "k", ({ variables }) => {
      place = variables[0] ?? -1;
      throw new Error("no such kernel");
    });
  expect(load).toThrow("no such kernel");
  expect(memory.find(place, 4)).toBeUndefined();
});
