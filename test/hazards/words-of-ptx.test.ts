/** Reports of kernels that another compiler made: in the words of PTX and CUDA C++, at places of its file. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import * as warpsmith from "warpsmith";
import { EmulatorDevice } from "../../src/emulator/index.ts";
import { allErrors } from "../support/all-errors.ts";
import { some } from "../support/amount.ts";
import { hazards } from "./index.ts";
import { openMachine } from "./schedule.ts";

/** Objects and functions of the language, as code names them: `tma.wait(`, `syncThreads(`, `TMA.tiled`. */
const exported = Object.keys(warpsmith).filter((name) => name !== "WarpsmithError");
const calls = new RegExp(`(?<![\\w.:])(${exported.join("|")})(\\.[a-z]\\w*)*\\(`);
/** What its objects have, and options of ours. */
const members =
  /\b(sharedMemory|namedBarrier|gridDependency|Mbarriers|TMA\.|bar\.(wait|arrive)\(|stage\.|fence\.(proxyAsync|acqRel|mbarrierInit|tensorMap)|atomic\(|debug: true|stepBudget|view\.bytes|\.shape\[|loadIm2col)|\{ (tx|read|cache)\b|`(init|arrive|inval|load)`/;
const ours = (text: string): string | undefined => calls.exec(text)?.[0] ?? members.exec(text)?.[0];

describe("every error of the emulator", () => {
  /** What kernels are told while they are loaded and run. W9006 and W9007 are about the host. */
  const codes = Object.keys(allErrors).filter((code) => /^W9[0128]/.test(code) && code !== "W9006" && code !== "W9007");
  it("is long", () => expect(codes.length).toBeGreaterThan(60));

  it.each(codes)("%s", (code) => {
    const {
      message,
      fix,
      inPtx = {},
    } = allErrors[code as keyof typeof allErrors] as {
      message: unknown;
      fix: unknown;
      inPtx?: { message?: unknown; fix?: unknown };
    };
    expect(ours(String(inPtx.message ?? message))).toBeUndefined();
    expect(ours(String(inPtx.fix ?? fix))).toBeUndefined();
  });
});

interface Told extends Error {
  readonly code: string;
  readonly spans: readonly { readonly file: string }[];
}
const isTold = (error: unknown): error is Told => error instanceof Error && "code" in error && /^W9/.test(String(error.code));
const allOf = (error: Told): readonly Told[] =>
  error.cause instanceof AggregateError ? [error, ...(error.cause.errors as Told[])] : [error];

describe("reports of the hazard pairs, as if another compiler had made them", () => {
  let told = 0;
  beforeAll(() => {
    vi.spyOn(EmulatorDevice.prototype, "loadModule").mockImplementation(function (this: EmulatorDevice, ptx, options) {
      return this.loadImage(ptx, "folder/other.ptx").kernel(options);
    });
  });
  afterAll(() => {
    vi.restoreAllMocks();
    expect(told).toBeGreaterThan(20);
  });

  /** One pair of each error that a kernel in this language can be told; the others in turns. */
  const firsts = new Map(hazards.filter((h) => !h.marks.refused && h.ptx.length === 0).map((h) => [h.marks.main.codes[0], h]));
  const always = new Set(firsts.values());
  const others = some(
    hazards.filter((h) => !always.has(h)),
    0,
  );

  it.each([...always, ...others].map((h) => [h.name, h] as const))("%s", async (_, hazard) => {
    const machine = await openMachine({ check: "strict", schedule: "eager" });
    const error = await hazard.run(true, machine).catch((e: unknown) => e);
    await machine.device.dispose().catch(() => {});
    if (!isTold(error)) return;
    told += 1;
    for (const each of allOf(error)) {
      expect(ours(each.message.replace(/^ +\d* \|.*$/gm, "")), each.message).toBeUndefined();
      if (each.spans.length > 0) expect(each.spans.map((span) => span.file)).toContain("folder/other.ptx");
    }
  });
});
