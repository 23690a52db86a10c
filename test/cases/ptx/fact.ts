import type { Im2colMap, TiledMap } from "../../../src/base/tensor-map.ts";
import type { Dim3 } from "../../../src/base/types.ts";
import type { PtxArgument, PtxLaunch } from "../../../src/tools/launch-ptx/index.ts";

/**
 * A question about the machine that the PTX ISA does not answer, or that is easily got wrong: one kernel in PTX, launched once,
 * whose output is the answer. Runs on any device.
 */
export interface Fact {
  /** "group/what". */
  readonly name: string;
  readonly question: string;
  /** Declarations before the entry, and the entry `k0`. */
  readonly module: string;
  readonly entry: string;
  readonly launch: PtxLaunch;
  /** What the input holds. */
  readonly input: Uint8Array;
  /** What the output holds before. */
  readonly before: Uint8Array;
  /** The answer in words of 32 bits, where it is short; the code of the error where the emulator refuses to answer. */
  readonly expected?: readonly number[] | string;
  /** It may end the device for good: others run first. */
  readonly mayTrap?: true;
}

export interface FactOptions {
  readonly name: string;
  readonly question: string;
  /**
   * Instructions and declarations. `%in` and `%out` are the addresses of the buffers, `%thread` the thread, `%smem` the address of
   * the dynamic shared memory, `%m0`, `%m1` … those of the tensor maps.
   */
  readonly body: string;
  readonly module?: string;
  /** The extern variable whose address `%smem` is, where it is not that of all facts: `module` declares it. */
  readonly dynamic?: string;
  readonly block?: number;
  readonly cluster?: Dim3;
  readonly sharedBytes?: number;
  readonly cooperative?: true;
  readonly input?: Uint8Array;
  /** Words of the output. */
  readonly words: number;
  /** What the output holds before; without: 0xcdcdcdcd. */
  readonly before?: Uint8Array;
  /** Maps of the input, or of the output. */
  readonly maps?: readonly { readonly of: "in" | "out"; readonly map: TiledMap | Im2colMap }[];
  readonly expected?: Fact["expected"];
  readonly mayTrap?: true;
}

const nothing = new Uint8Array(16);
const usual = "mov.u32 %smem, smem;";

/** Facts as the entries of one module; each is named by its place. */
export function moduleOf(facts: readonly Pick<Fact, "module" | "entry">[]): string {
  const some = (text: string): boolean => facts.some(({ entry }) => entry.includes(text));
  // The oldest that has what is asked for.
  const version = some("%aggr_smem_size") ? "8.1" : "8.0";
  const extern = some(usual) ? ".extern .shared .align 1024 .b8 smem[];\n" : "";
  return `.version ${version}
.target sm_90a
.address_size 64
${extern}${facts.map((f) => f.module).join("\n")}
${facts.map((f, i) => f.entry.replace("k0", `k${i}`)).join("\n")}`;
}

function entryText({ body, dynamic, maps = [] }: FactOptions): string {
  const more = maps.map((_, i) => `, .param .align 64 .b8 m${i}[128]`).join("");
  const addresses = maps.map((_, i) => `  .reg .u64 %m${i}; mov.u64 %m${i}, m${i}; cvta.param.u64 %m${i}, %m${i};\n`);
  return `.visible .entry k0(.param .u64 a, .param .u64 b${more})
{
  .reg .u64 %in, %out;
  .reg .u32 %thread, %smem;
  .reg .pred %p<16>;
  .reg .b16 %h<64>;
  .reg .b32 %r<256>;
  .reg .b64 %d<64>;
  .reg .f32 %f<128>;
  .reg .f64 %g<16>;
  ld.param.u64 %in, [a];
  ld.param.u64 %out, [b];
  mov.u32 %thread, %tid.x;
  ${dynamic === undefined ? usual : `mov.u32 %smem, ${dynamic};`}
${addresses.join("")}
${body}
  exit;
}
`;
}

export function defineFact(options: FactOptions): Fact {
  const {
    name,
    question,
    words,
    block = 1,
    cluster = [1, 1, 1],
    sharedBytes = 16384,
    maps = [],
    expected,
    mayTrap,
    cooperative,
  } = options;
  const input = options.input ?? nothing;
  const before = options.before ?? new Uint8Array(4 * words).fill(0xcd);
  const address = (buffer: string) => ({ kind: "address", buffer, offset: 0 }) as const;
  const args: readonly PtxArgument[] = [
    address("in"),
    address("out"),
    ...maps.map(({ of, map }) => ({ kind: "map", address: address(of), map }) as const),
  ];
  const buffer = (buffer: string, bytes: Uint8Array, out: boolean) =>
    ({ name: buffer, dtype: "u8", shape: [bytes.length], fill: { kind: "file", path: buffer }, out }) as const;
  return {
    name,
    question,
    module: options.module ?? "",
    entry: entryText(options),
    launch: {
      entry: "k0",
      grid: cluster,
      block: [block, 1, 1],
      cluster,
      sharedBytes,
      ...(cooperative ? { cooperative } : {}),
      buffers: [buffer("in", input, false), buffer("out", before, true)],
      args,
    },
    input,
    before,
    ...(expected === undefined ? {} : { expected }),
    ...(mayTrap ? { mayTrap } : {}),
  };
}

/** A body for one thread that keeps registers of 32 bits, one after the other; `keep(r)` gives the instruction that does. */
export function script(write: (keep: (register: string) => string) => readonly string[]): { body: string; words: number } {
  let words = 0;
  const body = write((register) => `st.global.u32 [%out+${4 * words++}], ${register};`).join("\n");
  return { body, words };
}

/** Waits until the phase of a parity is over, but not for ever: a word says what came of it. */
export function waitFor(barrier: string, parity: number, result = "%r200"): string {
  const n = `${barrier.slice(1)}_${parity}`;
  return `mov.u32 %r201, 0;
again${n}:
  mbarrier.test_wait.parity.shared::cta.b64 %p15, [${barrier}], ${parity};
  @%p15 bra done${n};
  add.u32 %r201, %r201, 1;
  setp.lt.u32 %p14, %r201, 200000;
  @%p14 bra again${n};
done${n}:
  selp.u32 ${result}, 1, 0, %p15;`;
}

/** All threads of the block put `words` words of shared memory, from its beginning, into the output. */
export function dumpShared(words: number, threads: number): string {
  return `mov.u32 %r210, %thread;
dump:
  setp.ge.u32 %p13, %r210, ${words};
  @%p13 bra dumped;
  shl.b32 %r211, %r210, 2;
  add.u32 %r212, %smem, %r211;
  ld.shared.u32 %r213, [%r212];
  cvt.u64.u32 %d40, %r211;
  add.u64 %d41, %out, %d40;
  st.global.u32 [%d41], %r213;
  add.u32 %r210, %r210, ${threads};
  bra dump;
dumped:`;
}

/** One thread fills shared memory for the asynchronous proxy, 16 bytes at a time. */
export const clearShared = (bytes: number, word = 0): string => `mov.u32 %r220, 0;
clear:
  add.u32 %r221, %smem, %r220;
  st.shared.v4.u32 [%r221], {${word}, ${word}, ${word}, ${word}};
  add.u32 %r220, %r220, 16;
  setp.lt.u32 %p12, %r220, ${bytes};
  @%p12 bra clear;
  fence.proxy.async;`;

export const bytesOf = (data: { readonly buffer: ArrayBufferLike; readonly byteOffset: number; readonly byteLength: number }) =>
  new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();

export const count = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i);
