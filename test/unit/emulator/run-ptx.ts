import { noSpans } from "../../../src/base/diag/index.ts";
import type { Dim3 } from "../../../src/base/types.ts";
import { EmulatorDevice, type EmulatorOptions } from "../../../src/emulator/index.ts";
import type { NamedMemory } from "../../../src/runtime/index.ts";

export interface Kernel {
  /** Instructions and declarations; `%out` and `%in` are the addresses of the buffers, `%tid` is the thread. */
  readonly body: string;
  /** Before the entry. */
  readonly module?: string;
  /** Of the entry: `.maxnreg 64`. */
  readonly directives?: string;
  readonly grid?: Dim3;
  readonly block?: Dim3;
  readonly cluster?: Dim3;
  readonly input?: Uint8Array;
  readonly outputBytes: number;
  readonly sharedBytes?: number;
  readonly cooperative?: boolean;
  readonly options?: EmulatorOptions;
  /** What the host calls parts of memory. */
  readonly memories?: readonly NamedMemory[];
}

/** The whole module around the body. */
export const ptxOf = (k: Pick<Kernel, "body" | "module" | "directives">): string => `.version 8.3
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 smem[];
${k.module ?? ""}
.visible .entry k(.param .u64 a, .param .u64 b) ${k.directives ?? ""}
{
  .reg .u64 %in, %out;
  .reg .u32 %thread;
  .reg .pred %p<16>;
  .reg .b16 %h<16>;
  .reg .b32 %r<32>;
  .reg .b64 %d<32>;
  .reg .f32 %f<16>;
  .reg .f64 %g<16>;
  ld.param.u64 %in, [a];
  ld.param.u64 %out, [b];
  mov.u32 %thread, %tid.x; { .reg .u32 %tid; mov.u32 %tid, %thread;
${k.body}
  exit;
}}
`;

/** Runs hand-written PTX and gives what it left in the output. */
export async function runPtx(k: Kernel): Promise<DataView> {
  const device = new EmulatorDevice(k.options);
  const stream = device.defaultStream;
  const input = k.input ?? new Uint8Array(16);
  const [from, to] = [device.allocate(input.length), device.allocate(k.outputBytes)];
  device.upload(stream, from, input);
  const ptx = ptxOf(k);
  const module = device.loadModule(ptx, {
    entry: "k",
    kernel: "k",
    parameterBytes: [8, 8],
    dynamicSharedBytes: k.sharedBytes ?? 0,
  });
  const parameters = device.parameters(module);
  parameters.views[0]?.setBigUint64(0, from, true);
  parameters.views[1]?.setBigUint64(0, to, true);
  device.launch({
    module,
    parameters,
    grid: k.grid ?? [1, 1, 1],
    block: k.block ?? [32, 1, 1],
    cluster: k.cluster ?? [1, 1, 1],
    sharedBytes: k.sharedBytes ?? 0,
    stream,
    overlapPrevious: false,
    cooperative: k.cooperative,
    spans: noSpans,
    memories: k.memories,
  });
  const bytes = await device.download(stream, to, k.outputBytes);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** One word for each thread: `body` leaves it in `%r0`. */
export async function wordsOf(body: string, threads = 32, rest: Partial<Kernel> = {}): Promise<Int32Array> {
  const grid = rest.grid ?? [1, 1, 1];
  const all = threads * grid[0];
  const view = await runPtx({
    ...rest,
    block: [threads, 1, 1],
    outputBytes: 4 * all,
    body: `${body}
  mov.u32 %r31, %ctaid.x;
  mad.lo.u32 %r31, %r31, ${threads}, %tid;
  mul.wide.u32 %d31, %r31, 4;
  add.u64 %d31, %out, %d31;
  st.global.u32 [%d31], %r0;`,
  });
  return Int32Array.from({ length: all }, (_, i) => view.getInt32(4 * i, true));
}
