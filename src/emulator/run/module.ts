import type { LoadedModule, ModuleOptions, ParameterBlock } from "../../runtime/index.ts";
import { fail } from "../errors/index.ts";
import type { Image } from "../program/image.ts";
import type { ProgramOptions } from "../program/operands.ts";
import { loadProgram, type Program } from "../program/program.ts";

/** Of an H100 and an H200 (CUDA C++ Programming Guide, compute capability 9.0). */
export const machine = {
  multiprocessors: 132,
  l2Bytes: 50 * 2 ** 20,
  registersPerSM: 65536,
  sharedBytesPerSM: 228 * 1024,
  /** Of which the system takes this much for each block. */
  sharedReserved: 1024,
  sharedBytesPerBlock: 227 * 1024,
  threadsPerSM: 2048,
  threadsPerBlock: 1024,
  blocksPerSM: 32,
} as const;

/** What another thread needs to make the same module. */
export interface ModuleSource {
  readonly ptx: string;
  /** What reports call it. */
  readonly name: string;
  readonly foreign: boolean;
  readonly variables: Image["variables"];
  readonly options: ModuleOptions;
}

export class EmulatorModule implements LoadedModule {
  /** Its variables are there as long as somebody holds it. */
  readonly image: Image;
  readonly source: ModuleSource;
  readonly kernel: string;
  readonly entry: string;
  readonly program: Program;
  readonly registers: number;
  readonly spillBytes: number;
  readonly staticSharedBytes: number;
  readonly parameterBytes: readonly number[];
  readonly maxThreads: number;

  /** W8006 where the parameters are not those of the launch, and what `loadProgram` finds. */
  constructor(image: Image, options: ModuleOptions, making: ProgramOptions) {
    const { kernel, entry, parameterBytes } = options;
    this.kernel = kernel;
    this.entry = entry;
    this.image = image;
    this.source = { ptx: image.ptx, name: image.tree.name, foreign: image.foreign, variables: image.variables, options };
    this.program = loadProgram(image, entry, kernel, { ...making, ofLoops: options.ofLoops ?? false });
    const found = this.program.parameters.map((p) => p.bytes);
    if (found.join() !== parameterBytes.join()) {
      const reason = `its parameters have ${found.join(", ")} bytes, the launch's ${parameterBytes.join(", ")}`;
      fail("W8006", { kernel, reason, log: "" });
    }
    const { maxnreg, reqntid } = this.program.directives;
    // A bound: what an assembler would make of these virtual registers is not known here.
    this.registers = Math.min(maxnreg ?? 255, 255, this.program.registers);
    this.spillBytes = this.program.localBytes;
    this.staticSharedBytes = this.program.staticSharedBytes;
    this.parameterBytes = parameterBytes;
    const required = reqntid?.reduce((n, extent) => n * extent, 1);
    this.maxThreads = required ?? machine.threadsPerBlock;
  }

  /** Limited by threads and shared memory, and by registers where the kernel fixes them. */
  blocksPerSM(threads: number, dynamicSharedBytes: number): number {
    const shared = this.program.staticSharedBytes + dynamicSharedBytes + machine.sharedReserved;
    const { maxnreg } = this.program.directives;
    const byRegisters = maxnreg === undefined ? machine.blocksPerSM : Math.floor(machine.registersPerSM / (maxnreg * threads));
    const byThreads = Math.floor(machine.threadsPerSM / threads);
    return Math.min(machine.blocksPerSM, byThreads, byRegisters, Math.floor(machine.sharedBytesPerSM / shared));
  }
}

/** The arguments of a launch, one after the other. */
export class EmulatorParameters implements ParameterBlock {
  readonly views: readonly DataView[];

  constructor(sizes: readonly number[]) {
    this.views = sizes.map((bytes) => new DataView(new ArrayBuffer(bytes)));
  }
}
