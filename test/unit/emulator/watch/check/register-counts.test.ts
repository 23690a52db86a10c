import { describe, expect, it } from "vitest";
import { entryRegisters } from "../../../../../src/emulator/program/operations/setmaxnreg.ts";
import { assemble } from "../../../../support/ptxas.ts";
import { type Kernel, ptxOf } from "../../run-ptx.ts";
import { expectMarked, findings } from "./finds.ts";

const set = (action: "inc" | "dec", count: number) => `setmaxnreg.${action}.sync.aligned.u32 ${count};`;
/** One branch for each of three warpgroups: 504 registers for the three together. */
const groups = (first: string, second: string, third: string): Kernel => ({
  outputBytes: 16,
  block: [384, 1, 1],
  directives: ".reqntid 384 .minnctapersm 1",
  body: `
  shr.u32 %r1, %tid, 7;
  setp.eq.u32 %p1, %r1, 1;
  @%p1 bra $second;
  setp.eq.u32 %p2, %r1, 2;
  @%p2 bra $third;
  ${first}
  bra $end;
$second:
  ${second}
  bra $end;
$third:
  ${third}
$end:`,
});

describe("in some warps of a warpgroup alone", () => {
  /** Warps from `first` on lower their registers. */
  const from = (first: number, mark: string): Kernel => ({
    outputBytes: 16,
    block: [128, 1, 1],
    directives: ".maxnreg 128",
    body: `
  setp.lt.u32 %p1, %tid, ${32 * first};
  @%p1 bra $end;
  ${set("dec", 40)}${mark}
$end:`,
  });
  it.each([1, 2, 3])("from warp %i on", async (first) => {
    await expectMarked(from(first, " // W9221"));
  });
  it("in all", async () => {
    await expectMarked(from(0, ""));
  });
});

describe("registers at entry", () => {
  const cases: readonly (readonly [string, number | undefined])[] = [
    ["", undefined],
    [".reqntid 384", undefined],
    [".reqntid 384 .minnctapersm 1", 168],
    [".maxntid 384 .minnctapersm 2", 80],
    [".reqntid 128 .minnctapersm 1", 255],
    [".reqntid 640 .minnctapersm 1", 96],
    [".reqntid 160 .minnctapersm 2", 168],
    [".reqntid 1000 .minnctapersm 1", 64],
    [".maxnreg 170", 170],
    [".reqntid 384 .minnctapersm 1 .maxnreg 128", 128],
  ];
  const numbers = (text: string, name: string) => {
    const found = new RegExp(`${name} (\\d+)`).exec(text)?.[1];
    return found === undefined ? undefined : Number(found);
  };
  it.each(cases)("%s: as ptxas has them", (directives, expected) => {
    const [reqntid, maxntid] = [numbers(directives, ".reqntid"), numbers(directives, ".maxntid")];
    const [maxnreg, minnctapersm] = [numbers(directives, ".maxnreg"), numbers(directives, ".minnctapersm")];
    const found = entryRegisters({
      ...(reqntid === undefined ? {} : { reqntid: [reqntid] }),
      ...(maxntid === undefined ? {} : { maxntid: [maxntid] }),
      ...(maxnreg === undefined ? {} : { maxnreg }),
      ...(minnctapersm === undefined ? {} : { minnctapersm }),
    });
    expect(found).toBe(expected);
    const assembled = assemble(ptxOf({ directives, body: `  ${set("dec", 40)}` }).replace(/%tid\b(?!\.)/g, "%thread"));
    if (!assembled) return;
    if (expected === undefined) expect(assembled.log).toMatch(/'setmaxnreg' ignored/);
    else expect(assembled.registers).toBe(expected);
  });
});

describe("setmaxnreg", () => {
  it("gives what others take", async () => {
    await expectMarked(groups(set("dec", 24), set("inc", 240), set("inc", 240)));
    await expectMarked(groups(set("inc", 240), set("inc", 240), set("dec", 24)));
  });

  it("more than there are: whoever asks waits for ever", async () => {
    const [found] = await findings(groups(set("dec", 40), set("inc", 240), set("inc", 240)), "off");
    expect(found).toMatchObject({
      code: "W9001",
      message: expect.stringMatching(/setmaxnreg.*240 registers per thread: it has 168, and the block has 8 more for one warp/),
    });
  });

  it("has no effect where nothing says how many there are", async () => {
    await expectMarked({ ...groups(set("inc", 240), set("inc", 240), set("inc", 240)), directives: "" });
  });

  it("warps of a warpgroup that ask for different numbers", async () => {
    const body = (other: number, mark: string): Kernel => ({
      outputBytes: 16,
      block: [128, 1, 1],
      directives: ".maxnreg 128",
      body: `
  setp.lt.u32 %p1, %tid, 32;
  @%p1 bra $first;
  ${set("dec", 64)} ${mark}
  bra $end;
$first:
  ${set("dec", other)}
$end:`,
    });
    await expectMarked(body(40, "// W9221"));
    await expectMarked(body(64, ""));
  });

  it("the wrong way", async () => {
    const body = (text: string): Kernel => ({ outputBytes: 16, block: [128, 1, 1], directives: ".maxnreg 128", body: text });
    await expectMarked(body(`${set("dec", 64)}\n  ${set("inc", 128)}\n  ${set("inc", 120)} // W9221`));
    await expectMarked(body(`${set("dec", 64)}\n  ${set("dec", 72)} // W9221`));
    await expectMarked(body(`${set("dec", 64)}\n  ${set("inc", 72)}`));
  });
});
