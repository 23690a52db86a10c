import type { Device } from "warpsmith";

/** One kernel of a lesson with one set of parameters. */
export interface LessonCase {
  readonly kernel: string;
  readonly parameters: string;
  /** "exact", or the tolerances of `assertClose`. */
  readonly tolerance: string;
  /** Runs it and checks every element of the result. Throws where it is wrong. */
  run(gpu: Device): Promise<void>;
}

/** One lesson: what it shows, and the cases that show it. */
export interface Lesson {
  /** The folder's name, "04-tma". */
  readonly name: string;
  readonly cases: readonly LessonCase[];
}
