import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { kernel, profile, type Tensor, threadIdx } from "warpsmith";
import { readEnvironment } from "../../../../src/base/env.ts";
import { openEmulator } from "../../../../src/entries/shared/open-emulator.ts";
import { RuntimeDevice } from "../../../../src/runtime/index.ts";
import { noEnvironment } from "../../cuda/open-fake.ts";
import { faultsOf } from "../../emulator/trace-rules.ts";
import { runCommand } from "./run-command.ts";

const folder = mkdtempSync(join(tmpdir(), "cli-profile-"));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});
const program = join(folder, "main.ts");
writeFileSync(program, "");

const k = kernel({ block: 64 }, function k(x: Tensor<"f32", 1>) {
  profile.begin("store");
  x.at(threadIdx.x).store(1);
  profile.end("store");
});

/** Two launches on a device whose profiles go to the file, and what is done when the process ends. */
async function launched(file: string): Promise<void> {
  const ends: (() => void)[] = [];
  const on = vi.spyOn(process, "prependListener").mockImplementation((event, listener) => {
    if (String(event) === "exit") ends.push(listener as () => void);
    return process;
  });
  const device = new RuntimeDevice(await openEmulator(0, { ...noEnvironment, profile: file }));
  on.mockRestore();
  const x = device.zeros("f32", [64]);
  k.launch({ grid: 1 }, x);
  k.launch({ grid: 1 }, x);
  await device.dispose();
  for (const end of ends) end();
}

describe("the file of a program's profiles", () => {
  it("is a trace of all launches, with the marks of kernels, where it ends in .json", async () => {
    const file = join(folder, "out.json");
    await launched(file);
    const trace = JSON.parse(readFileSync(file, "utf8"));
    expect(faultsOf(trace)).toEqual([]);
    expect(trace.otherData).toMatchObject({ launches: 2, dropped: 0 });
    const marks = trace.traceEvents.filter((e: { ph: string; cat?: string }) => e.ph === "b" && e.cat === "mark");
    expect(marks.map((e: { name: string; pid: number; tid: number }) => [e.name, e.pid, e.tid])).toEqual([
      ["store", 1, 0],
      ["store", 1, 1],
      ["store", 2, 0],
      ["store", 2, 1],
    ]);
  });

  it("is a page where it ends in .html", async () => {
    const file = join(folder, "out.html");
    await launched(file);
    expect(readFileSync(file, "utf8")).toMatch(/^<!doctype html>[\s\S]*x\.at\(threadIdx\.x\)\.store\(1\)/);
  });

  it("has to be one that can be written", async () => {
    await expect(launched(join(folder, "nowhere", "out.html"))).rejects.toMatchObject({ code: "W7028" });
  });

  it.each(["out", "out.htm", "html", "out.json.gz"])("cannot be called %j", async (name) => {
    const ran = await runCommand("run", "--profile", join(folder, name), program);
    expect([ran.status, ran.out]).toEqual([2, ""]);
    expect(ran.err).toMatch(
      /^warpsmith: --profile takes a file that ends in \.html, for a page, or in \.json, for Perfetto, and not /,
    );
    expect(readEnvironment({ WARPSMITH_PROFILE: name }).problem).toMatchObject({ variable: "WARPSMITH_PROFILE", value: name });
    expect(existsSync(join(folder, name))).toBe(false);
  });

  it("of an earlier run does not pass for one of this", async () => {
    const file = join(folder, "old.html");
    writeFileSync(file, "old");
    vi.stubEnv("WARPSMITH_PROFILE", undefined);
    vi.stubEnv("WARPSMITH_DEVICE", undefined);
    vi.spyOn(process, "argv", "get").mockReturnValue([]);
    const on = vi.spyOn(process, "on");
    await runCommand("run", "--profile", file, program).catch(() => undefined);
    expect(existsSync(file)).toBe(false);
    const [, end] = on.mock.calls.find(([event]) => event === "exit") ?? [];
    const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
    end?.();
    process.removeListener("exit", end as () => void);
    expect(said.mock.calls).toEqual([[`${file} was not written: the program opened no emulator`]]);
    expect([process.env.WARPSMITH_PROFILE, process.env.WARPSMITH_DEVICE]).toEqual([file, "emulator"]);
  });
});
