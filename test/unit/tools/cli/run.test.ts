import { EventEmitter } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readEnvironment } from "../../../../src/base/env.ts";
import { runCommand as command } from "../../../../src/tools/cli/commands/run.ts";
import { explainFailures, showStages } from "../../../../src/tools/cli/run.ts";
import { runCommand } from "./run-command.ts";

const folder = mkdtempSync(join(tmpdir(), "cli-stages-"));
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => void vi.stubEnv("WARPSMITH_STAGES", undefined));
afterEach(() => void vi.unstubAllEnvs());

const page = join(folder, "a,b.html");

describe("a program that is explained and fails", () => {
  const told = join(folder, "told.jsonl");
  const lines = () => vi.spyOn(console, "error").mockImplementation(() => {});

  it("is told why before its error is printed, once", () => {
    writeFileSync(told, "{}\n");
    const ending = new EventEmitter();
    const said = lines();
    explainFailures(told, ending);
    ending.emit("uncaughtExceptionMonitor", new Error("not 1"));
    ending.emit("exit", 1);
    expect(said.mock.calls).toEqual([[expect.stringContaining("were compiled and not run")]]);
    said.mockRestore();
  });

  it("is told nothing where it ends well, or has launched no kernel", () => {
    const ending = new EventEmitter();
    const said = lines();
    explainFailures(told, ending);
    ending.emit("exit", 0);
    explainFailures(join(folder, "none.jsonl"), ending)();
    expect(said.mock.calls).toEqual([]);
    said.mockRestore();
  });
});

describe("what warpsmith run asks the compiler to show", () => {
  it.each([
    [{}, undefined],
    [{ printAfterAll: "text" as const }, { print: { diff: false } }],
    [{ printAfterAll: "diff" as const }, { print: { diff: true } }],
    [{ printAfter: "reduce-induction" }, { print: { diff: false, only: "reduce-induction" } }],
    [{ stages: page }, { page }],
    [
      { printAfterAll: "diff" as const, stages: page },
      { print: { diff: true }, page },
    ],
    [
      { printAfter: "trace", stages: page },
      { print: { diff: false, only: "trace" }, page },
    ],
  ])("%j", (options, asked) => {
    const on = vi.spyOn(process, "on").mockReturnThis();
    showStages(options);
    on.mockRestore();
    expect(readEnvironment().values?.stages).toEqual(asked);
  });

  it.each([
    [["--print-after-all", "main.ts", "--print-after-all"], { printAfterAll: "text" }, ["main.ts", "--print-after-all"]],
    [["--print-after-all=diff", "main.ts", "x"], { printAfterAll: "diff" }, ["main.ts", "x"]],
    [["--profile", "t.json", "--print-after-all", "main.ts"], { profile: "t.json", printAfterAll: "text" }, ["main.ts"]],
    [["--profile", "--print-after-all", "main.ts"], { profile: "--print-after-all" }, ["main.ts"]],
    [["--stages", "s.html", "main.ts"], { stages: "s.html" }, ["main.ts"]],
  ])("the words %j", (words, options, args) => {
    const run = command();
    let seen: unknown;
    run.action((file: string, rest: readonly string[], given: unknown) => {
      seen = [given, [file, ...rest]];
    });
    run.parse(words, { from: "user" });
    expect(seen).toEqual([options, args]);
  });

  const program = import.meta.filename;
  it.each([
    [["--print-after", "cs", program], /there is no stage cs: did you mean cse\? There are trace, .*, ptx$/],
    [["--print-after", "nonsense", program], /there is no stage nonsense\. There are trace, /],
    [["--print-after", "cse", "--print-after-all", program], /give one of the two$/],
    [["--print-after-all=html", program], /Allowed choices are text, diff/],
    [["--stages", folder, program], /--stages takes the file that the page goes to, and .* cannot be one$/],
  ])("%j is refused in one line", async (words, why) => {
    const { status, out, err } = await runCommand("run", ...words);
    expect(err.trimEnd()).toMatch(why);
    expect([status, out, err.trimEnd().split("\n").length]).toEqual([2, "", 1]);
  });
});
