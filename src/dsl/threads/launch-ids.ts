import { scalar } from "../trace/scalar.ts";
import { OwnObject, ownMethods, tripleName } from "../trace/staged.ts";
import { currentTrace } from "../trace/trace.ts";

/** Three i32: a position, or an extent, along each axis. PTX ISA 10. */
export interface LaunchIds {
  /** Along the first axis, which runs fastest. */
  readonly x: number;
  /** Along the second axis. */
  readonly y: number;
  /** Along the third axis. */
  readonly z: number;
}

type Register = "tid" | "ctaid" | "nctaid" | "clusterid";

class StagedIds extends OwnObject implements LaunchIds {
  readonly #register: Register;
  readonly #name: string;

  constructor(register: Register, name: string) {
    super();
    this.#register = register;
    this.#name = name;
  }
  get [tripleName](): string {
    return this.#name;
  }

  #read(axis: "x" | "y" | "z"): number {
    return scalar(currentTrace(`${this.#name}.${axis}`).once("sreg", {}, { reg: `${this.#register}.${axis}` }));
  }
  get x(): number {
    return this.#read("x");
  }
  get y(): number {
    return this.#read("y");
  }
  get z(): number {
    return this.#read("z");
  }
}
ownMethods(StagedIds);

class BlockDimension extends OwnObject implements LaunchIds {
  readonly [tripleName] = "blockDim";
  get x(): number {
    return currentTrace("blockDim.x").options.launch.block[0];
  }
  get y(): number {
    return currentTrace("blockDim.y").options.launch.block[1];
  }
  get z(): number {
    return currentTrace("blockDim.z").options.launch.block[2];
  }
}
ownMethods(BlockDimension);

/**
 * The thread's position in its block. PTX `%tid`; CUDA `threadIdx`.
 *
 * @example
 * ```ts
 * const count = kernel({ block: 64, grid: 2 }, (y: Tensor<"i32", 1>) => {
 *   const i = blockIdx.x * blockDim.x + threadIdx.x;
 *   y[i] = i;
 * });
 *
 * await using gpu = await openDevice();
 * const y = gpu.zeros("i32", [128]);
 * count.launch({}, y);
 * console.log((await y.read())[127]); // 127
 * ```
 */
export const threadIdx: LaunchIds = new StagedIds("tid", "threadIdx");
/** The block's position in the grid. PTX `%ctaid`; CUDA `blockIdx`. */
export const blockIdx: LaunchIds = new StagedIds("ctaid", "blockIdx");
/** Threads of a block along each axis: numbers known while tracing. CUDA `blockDim`. */
export const blockDim: LaunchIds = new BlockDimension();
/** Blocks of the grid along each axis. PTX `%nctaid`; CUDA `gridDim`. */
export const gridDim: LaunchIds = new StagedIds("nctaid", "gridDim");
/** The cluster's position among clusters. */
export const clusterIdx: LaunchIds = new StagedIds("clusterid", "cluster.index");
