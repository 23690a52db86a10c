import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCommand } from "./run-command.ts";

// test/package/package.long.test.ts runs the command itself.
describe("warpsmith check refuses", () => {
  const file = join(import.meta.dirname, "check.test.ts");
  it.each<[string, string[], RegExp]>([
    ["no file", [], /missing required argument 'file'/],
    ["a file that is not there", ["nowhere.ts"], /there is no file nowhere\.ts/],
    ["a folder", [import.meta.dirname], /is a folder/],
    ["no number of seeds", [file, "--seeds", "many"], /--seeds takes a whole number from 0 to 1000000, not many/],
    ["part of a seed", [file, "--seeds", "1.5"], /not 1\.5/],
    ["more seeds than there are", [file, "--seeds=99999999999"], /--seeds takes .* not 99999999999/],
    ["no jobs", [file, "--jobs", "0"], /--jobs takes a whole number from 1 to/],
    ["an option that there is not", [file, "--quiet"], /unknown option '--quiet'/],
    ["a mistyped option", [file, "--stric"], /unknown option '--stric': did you mean --strict\?/],
    ["choices that are not there", [file, "--replay", "nowhere.json"], /there is no file nowhere\.json/],
  ])("%s", async (_, argv, why) => {
    const { status, out, err } = await runCommand("check", ...argv);
    expect(err).toMatch(why);
    // One line, and nothing else.
    expect([status, out, err.trimEnd().split("\n").length]).toEqual([2, "", 1]);
  });
});
