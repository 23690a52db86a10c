import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { check } from "../../../src/cli/check.ts";
import { Refusal } from "../../../src/cli/refusal.ts";

// test/package/package.long.test.ts runs the command itself.
describe("warpsmith check refuses", () => {
  const file = join(import.meta.dirname, "check.test.ts");
  it.each<[string, string[], RegExp]>([
    ["no file", [], /takes the file of a program/],
    ["a file that is not there", ["nowhere.ts"], /there is no file nowhere\.ts/],
    ["no number of seeds", [file, "--seeds", "many"], /--seeds takes a whole number from 0 on, not many/],
    ["part of a seed", [file, "--seeds", "1.5"], /not 1\.5/],
    ["no jobs", [file, "--jobs", "0"], /--jobs takes a whole number from 1 on/],
    ["an option that there is not", [file, "--quiet"], /quiet/],
    ["choices that are not there", [file, "--replay", "nowhere.json"], /there is no file nowhere\.json/],
  ])("%s", async (_, argv, why) => {
    await expect(check(argv)).rejects.toThrow(Refusal);
    await expect(check(argv)).rejects.toThrow(why);
  });
});
