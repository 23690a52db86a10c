import { loadPtx } from "warpsmith/ptx";
import type { Dim3 } from "../../src/base/types.ts";
import { type KernelPair, kernelPair, type Pair } from "../hazards/hazard.ts";
import { marksOf } from "../hazards/marks.ts";
import type { Machine } from "../hazards/schedule.ts";
import { ptxOf } from "../unit/emulator/run-ptx.ts";

/** What was reported in public, and how it was mended. */
export interface PublicBug {
  /** What goes wrong, in a sentence. */
  readonly what: string;
  /** What its mended twin does. */
  readonly mended: string;
  /** Issues and pull requests in which somebody met it. */
  readonly links: readonly [string, ...string[]];
  /** On a GPU the broken one may never end. */
  readonly hangs?: true;
}

/** A public bug in our own words: the kernel that has it, and its mended twin. */
export type CourtCase = Pair & PublicBug;

/** What it is a case of: the first part of its name. */
export const kindOf = ({ name }: Pick<CourtCase, "name">): string => name.slice(0, name.indexOf("/"));

const bugOf = ({ what, mended, links, hangs }: PublicBug): PublicBug => ({ what, mended, links, ...(hangs && { hangs }) });

/** Of a kernel of this language. */
export const kernelCase = (c: KernelPair & PublicBug): CourtCase => ({ ...kernelPair(c), ...bugOf(c) });

/** Of PTX, as another compiler would have made it. */
export interface PtxCase extends PublicBug {
  readonly name: string;
  /** Instructions and declarations: see `run-ptx.ts`. */
  readonly body: (broken: boolean) => string;
  /** What the mended one leaves in its output, in words of 32 bits. */
  readonly expected: readonly number[];
  /** Words. */
  readonly input?: readonly number[];
  readonly directives?: string;
  readonly grid?: Dim3;
  readonly block: Dim3;
  readonly cluster?: Dim3;
  /** Bytes of dynamic shared memory. */
  readonly smem?: number;
  /** It is launched again, to overlap the first launch, with what that has made: the output is that of the second. */
  readonly twice?: true;
  /** Which of two accesses is told first depends on the order. */
  readonly eitherSide?: true;
}

/** What reports call PTX that comes from no file. */
const file = "module.ptx";

export function ptxCase(c: PtxCase): CourtCase {
  const { name, expected, input = [0, 0, 0, 0], grid = [1, 1, 1], block, cluster, smem } = c;
  const textOf = (broken: boolean): string => ptxOf({ ...c, body: c.body(broken) });
  const config = { grid, block, ...(cluster && { cluster }), ...(smem && { smem }) };
  const run = async (broken: boolean, { device }: Machine): Promise<void> => {
    using from = device.tensor("i32", [input.length], input);
    using to = device.tensor(
      "i32",
      [expected.length],
      expected.map(() => -9),
    );
    using last = device.zeros("i32", [expected.length]);
    const entry = loadPtx(textOf(broken)).entry();
    entry.launch(config, from, to);
    if (c.twice) entry.launch({ ...config, overlapPrevious: true }, to, last);
    const left = await (c.twice ? last : to).read();
    expected.forEach((word, i) => {
      if (left[i] !== (word | 0)) throw new Error(`${name}: word ${i} is ${left[i]} instead of ${word}`);
    });
  };
  return {
    name,
    marks: marksOf(file, textOf(true).split("\n"), 1, name),
    always: true,
    eitherSide: c.eitherSide === true,
    practice: undefined,
    run,
    ptx: [true, false].map(textOf),
    ...bugOf(c),
  };
}

/** Every thread's words: `%r0` is shared memory, `%r1` its own word there; `%d1` its word of the input, `%d2` of the output. */
export const ownWords = `
  mov.u32 %r0, smem;
  mad.lo.u32 %r1, %tid, 4, %r0;
  mul.wide.u32 %d0, %tid, 4;
  add.u64 %d1, %in, %d0;
  add.u64 %d2, %out, %d0;`;
