import type { Device } from "warpsmith";

/** What runs: one set of parameters. */
export interface CaseRun {
  readonly parameters: string;
  /** Runs it and checks every element of the result. Throws where it is wrong. */
  run(gpu: Device): Promise<void>;
}

/** One kernel of a lesson with one set of parameters. */
export interface LessonCase extends CaseRun {
  readonly kernel: string;
  /** "exact", or the tolerances of `assertClose`. */
  readonly tolerance: string;
  /** What the emulator runs instead, where the parameters are too large for it. */
  readonly reduced?: CaseRun;
}

/** One lesson: what it shows, and the cases that show it. */
export interface Lesson {
  /** The folder's name, "04-tma". */
  readonly name: string;
  readonly cases: readonly LessonCase[];
}

/** What a device of that kind runs of a case. */
export const runOn = ({ kind }: Pick<Device, "kind">, c: LessonCase): CaseRun => (kind === "emulator" ? (c.reduced ?? c) : c);

/** `make(full)`, and on the emulator `make(reduced)`. Its parameters say that they are reduced, and from what. */
export function sized<S>(make: (size: S) => LessonCase, full: S, reduced: S): LessonCase {
  const [whole, small] = [make(full), make(reduced)];
  return { ...whole, reduced: { ...small, parameters: `${small.parameters}, reduced from ${whole.parameters}` } };
}

/** Runs every case of the lessons and prints a line for each. True if all are right. */
export async function runLessons(lessons: readonly Lesson[], gpu: Device): Promise<boolean> {
  let right = true;
  for (const { name, cases } of lessons) {
    for (const c of cases) {
      const { parameters, run } = runOn(gpu, c);
      const what = `${name.padEnd(24)}${c.kernel.padEnd(26)}`;
      try {
        await run(gpu);
        console.log(`${what}right   ${c.tolerance.padEnd(24)}${parameters}`);
      } catch (error) {
        right = false;
        console.log(`${what}WRONG   ${c.tolerance.padEnd(24)}${parameters}   ${error instanceof Error ? error.message : error}`);
      }
    }
  }
  return right;
}
