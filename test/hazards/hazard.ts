import type { Dim3 } from "../../src/base/types.ts";
import { type AnyKernel, defineCase, type Setup } from "../cases/case.ts";
import { ptxOf, runPtx } from "../unit/emulator/run-ptx.ts";
import { type Marks, marksOf, marksOfFunction } from "./marks.ts";
import { type Machine, optionsOf } from "./schedule.ts";

/** A bug twice: a kernel that has it, which must be reported, and the same kernel mended, which must be silent and right. */
export interface Pair {
  /** "family/what". */
  readonly name: string;
  readonly marks: Marks;
  /** Found under every schedule; else it takes one that brings the kernel to the bad place. */
  readonly always: boolean;
  /** Two sides of a race, either of which may come second. */
  readonly eitherSide: boolean;
  /** The other one is what working code does although the manual does not promise it: `strict` reports it with this code. */
  readonly practice: string | undefined;
  /** Throws what is reported, and where a result is wrong. */
  run(broken: boolean, machine: Machine): Promise<void>;
  /** Hand-written PTX, which must assemble. */
  readonly ptx: readonly string[];
}

export interface Hazard extends Pair {
  /** Numbers of the table in README.md. */
  readonly classes: readonly number[];
}

interface Options {
  readonly name: string;
  readonly sometimes?: true;
  readonly eitherSide?: true;
  readonly practice?: string;
}

/** Of a kernel in this language, whose last parameter says whether it is broken. */
export interface KernelPair extends Options {
  /** Where the kernel is written. */
  readonly file: string;
  readonly kernel: AnyKernel & { readonly name: string };
  /** The arguments but the last. */
  readonly args: (broken: boolean) => readonly unknown[];
  readonly grid?: (broken: boolean) => Setup["grid"];
  /** Launches that follow, with their arguments but the last. */
  readonly behind?: Setup["then"];
}

export type KernelHazard = KernelPair & Pick<Hazard, "classes">;

export const kernelHazard = (h: KernelHazard): Hazard => ({ ...kernelPair(h), classes: h.classes });

export function kernelPair(h: KernelPair): Pair {
  const one = (broken: boolean) => {
    const then = h.behind?.map(({ config, args }) => ({ config, args: [...args, broken] }));
    return defineCase(h.name, h.kernel, () => ({
      args: [...h.args(broken), broken],
      ...(h.grid ? { grid: h.grid(broken) } : {}),
      ...(then ? { then } : {}),
    }));
  };
  return {
    ...common(h),
    marks: marksOfFunction(h.file, h.kernel.name),
    run: (broken, { device }) => one(broken).run(device),
    ptx: [],
  };
}

/** Of something that is refused before a kernel runs: a tensor map, a launch. */
export interface Refusal extends Pick<Hazard, "name" | "classes"> {
  readonly file: string;
  /** A function with a name. */
  readonly make: (broken: boolean, machine: Machine) => unknown;
}

export function refusal(h: Refusal): Hazard {
  const marks = marksOfFunction(h.file, h.make.name);
  const run = async (broken: boolean, machine: Machine): Promise<void> => void (await h.make(broken, machine));
  return { ...common(h), classes: h.classes, marks, run, ptx: [] };
}

/** Of hand-written PTX: what the language does not let an author say. */
export interface PtxHazard extends Options, Pick<Hazard, "classes"> {
  /** Instructions and declarations, see `run-ptx.ts`. */
  readonly body: (broken: boolean) => string;
  /** What the mended one leaves in its output, by words. */
  readonly expected: readonly number[];
  readonly module?: string;
  /** Of the entry. */
  readonly directives?: string;
  readonly grid?: Dim3;
  readonly block: Dim3;
  readonly cluster?: Dim3;
  readonly input?: Uint8Array;
  readonly sharedBytes?: number;
  /** For kernels that spin: fewer steps than usual. */
  readonly stepBudget?: number;
}

export function ptxHazard(h: PtxHazard): Hazard {
  const { body, expected } = h;
  const textOf = (broken: boolean) => ptxOf({ ...h, body: body(broken) });
  const run = async (broken: boolean, machine: Machine): Promise<void> => {
    const left = await runPtx({
      ...h,
      body: body(broken),
      outputBytes: 4 * expected.length,
      options: { ...optionsOf(machine), ...(h.stepBudget === undefined ? {} : { stepBudget: h.stepBudget }) },
    });
    expected.forEach((word, i) => {
      const found = left.getInt32(4 * i, true);
      if (found !== (word | 0)) throw new Error(`${h.name}: word ${i} is ${found} instead of ${word}`);
    });
  };
  return {
    ...common(h),
    classes: h.classes,
    marks: marksOf("k.ptx", textOf(true).split("\n"), 1, h.name),
    run,
    ptx: [true, false].map(textOf),
  };
}

const common = (h: Options) => ({
  name: h.name,
  always: h.sometimes !== true,
  eitherSide: h.eitherSide === true,
  practice: h.practice,
});
