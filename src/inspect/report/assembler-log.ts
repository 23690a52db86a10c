/** What ptxas, or the assembler in the driver, says of a kernel. Texts are those of ptxas 12.0 to 13.0. */

/** Why products of a warpgroup are done one by one instead of overlapping. */
export const serialisations = {
  "calls of extern functions": /due to the presence of Extern calls/,
  "a call of a function": /due to wgmma pipeline crossing function boundary/,
  "registers of the pipeline": /due to insufficient register resources for the wgmma pipeline/,
  "registers of the function": /due to insufficient register resources for the function/,
  "registers of A are written": /non wgmma instructions defining input registers/,
  "accumulators are read": /non wgmma instructions reading accumulator registers/,
  "accumulators are written": /non wgmma instructions defining accumulator registers/,
  "an ill-formed stage": /due to ill formed pipeline stage/,
  "waits in a branch": /due to program dependence on compiler-inserted WG\.DP in divergent path/,
  "fences in a branch": /due to program dependence on compiler-inserted WG\.AR in divergent path/,
} as const;
/** Why products of a warpgroup are done one by one instead of overlapping. */
export type Serialisation = keyof typeof serialisations;

/** Something that the assembler did not do as the kernel asks, at the cost of time. */
export interface PerformanceLoss {
  /** As the assembler has it: `C7510`; empty where it says none. */
  readonly code: string;
  /** What it does instead: products one by one, or `setmaxnreg` ignored. */
  readonly about: "wgmma" | "setmaxnreg" | "other";
  /** Of products: why. */
  readonly reason?: Serialisation | undefined;
  /** Its sentence. */
  readonly text: string;
}

/** What the log of an assembler holds. Undefined is what it does not say. */
export interface AssemblerLog {
  readonly registers: number | undefined;
  /** Barriers of the block that the code uses. */
  readonly barriers: number | undefined;
  /** Shared memory that the code itself declares. */
  readonly staticSharedBytes: number | undefined;
  /** Local memory of a thread. */
  readonly stackBytes: number | undefined;
  /** Bytes of the instructions that store registers to local memory, and load them again. */
  readonly spillStoreBytes: number | undefined;
  readonly spillLoadBytes: number | undefined;
  readonly losses: readonly PerformanceLoss[];
}

const lossLine = /^.*?(?:\((C\d{4})\)\s*)?Potential Performance Loss: (.*)$/gm;

const isReason = (name: string): name is Serialisation => name in serialisations;

function lossOf(code: string, text: string): PerformanceLoss {
  const about = /^'setmaxnreg'/.test(text) ? "setmaxnreg" : /^wgmma/.test(text) ? "wgmma" : "other";
  const reason = Object.keys(serialisations)
    .filter(isReason)
    .find((name) => serialisations[name].test(text));
  return { code, about, reason: about === "wgmma" ? reason : undefined, text };
}

/** Reads what one kernel's assembler printed: of `ptxas -v`, or the driver's information log. */
export function readAssemblerLog(log: string): AssemblerLog {
  const figure = (pattern: RegExp, ifUsed = false): number | undefined => {
    const found = pattern.exec(log)?.[1];
    return found === undefined ? (ifUsed ? 0 : undefined) : Number(found);
  };
  const registers = figure(/Used (\d+) registers/);
  const told = registers !== undefined;
  return {
    registers,
    barriers: figure(/used (\d+) barriers/, told),
    staticSharedBytes: figure(/(\d+) bytes smem/, told),
    stackBytes: figure(/(\d+) bytes stack frame/, told),
    spillStoreBytes: figure(/(\d+) bytes spill stores/, told),
    spillLoadBytes: figure(/(\d+) bytes spill loads/, told),
    losses: [...log.matchAll(lossLine)].map(([, code = "", text = ""]) => lossOf(code, text.trim())),
  };
}
