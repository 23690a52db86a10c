/** What `warpsmith tune` needs of a family of kernels. A candidate is plain data: it goes from process to process as JSON. */
import type { Device, DeviceTensor, Kernel } from "warpsmith";

export type Candidate = Readonly<Record<string, unknown>>;

/** A kernel of a candidate with what it is launched with. */
export interface Made {
  // biome-ignore lint/suspicious/noExplicitAny: a kernel of whatever parameters
  readonly kernel: Kernel<any[]>;
  readonly args: readonly unknown[];
}

/** The operands of a problem on a device. */
export interface Bench extends Disposable {
  make(candidate: Candidate): Made;
  /** Launches it once, on memory that holds nothing of a result. Why what it gave is wrong; undefined where it is right. */
  verify(candidate: Candidate): Promise<string | undefined>;
  /** A small part of the result. */
  readonly sample: DeviceTensor;
}

/** A family of kernels that has candidates to choose from. `P` is a problem, as plain data. */
export interface Family<P> {
  readonly name: string;
  /** What the command line says of a problem: its sizes, its type, its layout. Undefined where it cannot be one. */
  problem(size: string, dtype: string, layout: string): P | undefined;
  /** What differs only in what the same choice serves: the key that a choice is kept under. */
  classOf(problem: P): string;
  /** In the order of an estimate: the most promising first. */
  candidates(problem: P, multiprocessors: number): readonly Candidate[];
  /** What is worth a try beside a candidate that was among the fastest. */
  variations(problem: P, multiprocessors: number, of: Candidate): readonly Candidate[];
  /** What the function takes without a choice. */
  usual(problem: P, multiprocessors: number): Candidate;
  open(device: Device, problem: P): Promise<Bench>;
}
