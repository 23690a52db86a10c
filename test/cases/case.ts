import type { Compiled, Device, DeviceTensor, DType, LaunchConfig, TensorSpec, TMAOptions } from "warpsmith";
import { TMA, tensorSpec } from "warpsmith";

/** One thing that the language promises, shown by one kernel. */
export interface Case {
  /** "group/what". */
  readonly name: string;
  /** Compiles the kernel for its sizes; needs no GPU. */
  compile(): Compiled;
  /** Throws where a result is wrong. `config`: how to launch, beside what the case says. */
  run(gpu: Device, config?: LaunchConfig): Promise<void>;
  /** What the last run has measured, such as the worst error. */
  measured?(): string;
  /** Its kernel ends in a trap: no other case can use the device afterwards. */
  readonly losesDevice?: true;
}

type Elements = ArrayLike<number | bigint>;
type Tensors = DeviceTensor | TensorSpec;

interface Input {
  readonly kind: "input";
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly data: Elements;
}

interface Output {
  readonly kind: "output";
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly expected: Elements;
  /** What is there before the kernel runs; all bits from a recognisable pattern where undefined. */
  readonly initial: Elements | undefined;
  readonly agree: Agreement;
}

/** Part of a tensor, or its dimensions in another order, as the host passes it. */
interface View {
  readonly kind: "view";
  readonly of: Input | Output;
  readonly change: ViewChange;
}
export interface ViewChange {
  readonly slice?: readonly (readonly [start: number, stop: number] | undefined)[];
  readonly transpose?: readonly number[];
}

interface Map {
  readonly kind: "map";
  readonly of: Input | Output | View;
  readonly options: TMAOptions;
}

/** Whether a result is right; `index` in row-major order. */
export type Agreement = (actual: number | bigint, expected: number | bigint, index: number) => boolean;

/** Bit for bit, but for the payload of a NaN. */
export const exactly: Agreement = (actual, expected) => Object.is(actual, expected);
/** At most that far away. */
export const within =
  (most: number): Agreement =>
  (actual, expected) =>
    Object.is(actual, expected) || Math.abs(Number(actual) - Number(expected)) <= most;

export const input = (dtype: DType, shape: readonly number[], data: Elements): Input => ({ kind: "input", dtype, shape, data });
export const output = (
  dtype: DType,
  shape: readonly number[],
  expected: Elements,
  options: { initial?: Elements; agree?: Agreement } = {},
): Output => ({ kind: "output", dtype, shape, expected, initial: options.initial, agree: options.agree ?? exactly });
/** A tensor map of an argument's memory, or a part of it. The argument itself need not be among the kernel's. */
export const mapOf = (of: Input | Output | View, options: TMAOptions): Map => ({ kind: "map", of, options });

/** First the slice, then the order of the dimensions. */
export const viewOf = (of: Input | Output, change: ViewChange): View => ({ kind: "view", of, change });

/** A kernel of any parameters. */
export interface AnyKernel {
  compile(...args: never[]): Compiled;
  launch(config: LaunchConfig, ...args: never[]): void;
}

export interface Setup {
  /** `input`, `output` and `mapOf` become what the kernel is launched with; everything else is passed as it is. */
  readonly args: readonly unknown[];
  readonly grid?: LaunchConfig["grid"];
  /** Launches of the same kernel that follow the first, with their arguments. */
  readonly then?: readonly { readonly config: LaunchConfig; readonly args: readonly unknown[] }[];
}

const kinds: readonly unknown[] = ["input", "output", "map", "view"];
const isOne = (x: unknown): x is Input | Output | Map | View =>
  typeof x === "object" && x !== null && "kind" in x && kinds.includes(x.kind);

function viewed(tensor: Tensors, { slice, transpose }: ViewChange): Tensors {
  if ("device" in tensor) {
    const part = slice ? tensor.slice(...slice) : tensor;
    return transpose ? part.transpose(...transpose) : part;
  }
  const order = transpose ?? tensor.shape.map((_, d) => d);
  const extents = tensor.shape.map((n, d) => (slice?.[d]?.[1] !== undefined ? slice[d][1] - slice[d][0] : n));
  const pick = (from: readonly number[]): never => order.map((d) => from[d]) as never;
  return { dtype: tensor.dtype, rank: tensor.rank, shape: pick(extents), strides: pick(tensor.strides) };
}

function convert(
  args: readonly unknown[],
  make: (x: Input | Output) => Tensors,
  made = new globalThis.Map<unknown, Tensors>(),
): never[] {
  const one = (x: Input | Output): Tensors => {
    const known = made.get(x) ?? make(x);
    made.set(x, known);
    return known;
  };
  const place = (x: Input | Output | View): Tensors => (x.kind === "view" ? viewed(one(x.of), x.change) : one(x));
  return args.map((arg) => {
    if (!isOne(arg)) return arg;
    return arg.kind === "map" ? new TMA(place(arg.of), arg.options) : place(arg);
  }) as never[];
}

/** What an output holds at first: never what a kernel that writes nothing would pass with. */
function poison(x: Output): Elements {
  if (x.initial) return x.initial;
  const wrong = (e: number | bigint): number | bigint => (typeof e === "bigint" ? (e === 77n ? 78n : 77n) : e === 77 ? 78 : 77);
  return Array.from(x.expected, (e) => (x.dtype === "bool" ? 1 - Number(e) : wrong(e)));
}

function compare(name: string, x: Output, actual: Elements): void {
  if (actual.length !== x.expected.length) throw new Error(`${name}: ${actual.length} results instead of ${x.expected.length}`);
  const wrong = Array.from(x.expected, (_, i) => i).filter((i) => !x.agree(actual[i] as number, x.expected[i] as number, i));
  if (wrong.length === 0) return;
  const show = (v: unknown): string => (Object.is(v, -0) ? "-0" : String(v));
  const few = wrong.slice(0, 6).map((i) => `[${i}] ${show(actual[i])} instead of ${show(x.expected[i])}`);
  throw new Error(`${wrong.length} of ${x.expected.length} wrong: ${few.join(", ")}`);
}

/** A kernel that takes long to make, made when it is first asked for: most who read the list of cases run few of them. */
export function whenAsked(make: () => AnyKernel): AnyKernel {
  let made: AnyKernel | undefined;
  const get = (): AnyKernel => {
    made ??= make();
    return made;
  };
  return { compile: (...args) => get().compile(...args), launch: (config, ...args) => get().launch(config, ...args) };
}

/** A case that launches one kernel, once where there is no `then`. `make` is called for each use, so that big data is not kept. */
export function defineCase(name: string, kernel: AnyKernel, make: () => Setup): Case {
  return {
    name,
    compile() {
      return kernel.compile(...convert(make().args, (x) => tensorSpec(x.dtype, x.shape)));
    },
    async run(gpu, config = {}) {
      const { args, grid, then = [] } = make();
      const made = new globalThis.Map<unknown, Tensors>();
      const outputs: [Output, DeviceTensor][] = [];
      const owned: DeviceTensor[] = [];
      const tensor = (x: Input | Output): DeviceTensor => {
        const data = x.kind === "input" ? x.data : poison(x);
        const made = gpu.tensor(x.dtype, x.shape, data as ArrayLike<never>);
        owned.push(made);
        if (x.kind === "output") outputs.push([x, made]);
        return made;
      };
      try {
        kernel.launch({ ...config, ...(grid === undefined ? {} : { grid }) }, ...convert(args, tensor, made));
        for (const next of then) kernel.launch({ ...config, ...next.config }, ...convert(next.args, tensor, made));
        for (const [x, made] of outputs) compare(name, x, (await made.read()) as Elements);
      } finally {
        for (const made of owned) made.dispose();
      }
    },
  };
}
