import type { Device, DeviceTensor } from "warpsmith";
import { compareRows, toleranceOf } from "./check.ts";
import { compareWhole, gatherRows, productRows } from "./check-kernels.ts";
import { type Arena, fastest } from "./contenders.ts";
import { fillNormal } from "./inputs.ts";
import { type Contender, flushed } from "./measure.ts";
import { type MmaPlan, mmaGemm, mmaPlanName } from "./mma-sync-kernel.ts";
import type { Variant } from "./mma-sync-plans.ts";
import { type Problem, teraflops } from "./problem.ts";
import { type Figure, round } from "./stats.ts";

export interface PlanRecord {
  /** The name of a plan, or "cublasLt". */
  readonly plan: string;
  readonly us: number | null;
  readonly tflops: number | null;
  /** Times as fast as the best of cublasLt's heuristics. */
  readonly ofLt: number | null;
  readonly correct: boolean | null;
  /** |D - reference| / |reference| over the checked rows, in f64. */
  readonly relative?: number;
  readonly spread?: readonly [p10: number, p90: number, samples: number];
  readonly note?: string;
  readonly skipped?: string;
}

/** By size. */
export type VariantRecords = Readonly<Record<string, readonly PlanRecord[]>>;

type Matrix = DeviceTensor<"f16" | "f32", 2>;

const ltName = "cublasLt";
const rowCount = 64;

/** What a result may be off: element by element, and all checked elements together. */
interface Tolerance {
  readonly rtol: number;
  readonly atol: number;
  readonly relative: number;
}

/**
 * Sums in f32 as in `npm run bench`. A sum in f16 is rounded after each step of 16 along K, by at most 2^-11 of what it is then, about
 * 4 √(K / 16): the errors of all steps together are within 2^-11 √(K / 16) of the result, and three times that is allowed for steps that the
 * hardware takes apart.
 */
function toleranceFor(size: number, sum: MmaPlan["sum"]): Tolerance {
  if (sum === "f32") return { ...toleranceOf({ dtype: "f16", k: size }), relative: 5e-4 };
  const relative = 3 * 2 ** -11 * Math.sqrt(size / 16);
  return { rtol: 2 ** -10, atol: 8 * relative * Math.sqrt(size), relative };
}

/** Everything of one size and variant on the device. */
class Room implements Disposable {
  readonly a: DeviceTensor<"f16", 2>;
  readonly b: DeviceTensor<"f16", 2>;
  readonly out: Matrix;
  readonly expected: Matrix;
  readonly #device: Device;
  readonly #rows: DeviceTensor<"i32", 1>;
  readonly #gathered: DeviceTensor<"f32", 2>;
  readonly #products: Promise<Float32Array>;

  constructor(device: Device, size: number, out: "f16" | "f32") {
    this.#device = device;
    this.a = device.empty("f16", [size, size]);
    this.b = device.empty("f16", [size, size]);
    fillNormal(this.a, 1);
    fillNormal(this.b, 2);
    this.out = device.empty(out, [size, size]) as Matrix;
    this.expected = device.empty(out, [size, size]) as Matrix;
    const random = (i: number): number => Math.floor(((Math.imul(i + 1, 0x9e3779b1) >>> 0) / 2 ** 32) * size);
    const picked = Array.from({ length: rowCount }, (_, i) => (i === 0 ? 0 : i === 1 ? size - 1 : random(i)));
    this.#rows = device.tensor("i32", [rowCount], picked);
    this.#gathered = device.empty("f32", [rowCount, size]);
    productRows.launch({}, this.a, this.b, this.#rows, this.#gathered);
    this.#products = this.#gathered.read();
  }

  /** Fills `into` with NaN, launches once, and compares rows with sums in f64. */
  async rows(launch: () => void, into: Matrix, { rtol, atol, relative }: Tolerance): Promise<readonly [boolean, number]> {
    const reference = await this.#products;
    into.fill(Number.NaN);
    await this.#device.sync();
    launch();
    await this.#device.sync();
    gatherRows.launch({}, into, this.#rows, this.#gathered);
    const found = compareRows(await this.#gathered.read(), reference, rtol, atol);
    return [found.misses === 0 && found.relative <= relative, found.relative];
  }

  /** Is every element of `out` close to that of `expected`? */
  async whole({ rtol, atol }: Tolerance): Promise<boolean> {
    using worst = this.#device.zeros("i32", [1]);
    using misses = this.#device.zeros("i32", [1]);
    const flat = (x: Matrix) => x.reshape(x.shape[0] * x.shape[1]);
    compareWhole.launch({}, flat(this.out), flat(this.expected), worst, misses, rtol, atol);
    return (await misses.read())[0] === 0;
  }

  [Symbol.dispose](): void {
    for (const x of [this.a, this.b, this.out, this.expected, this.#rows, this.#gathered]) x.dispose();
  }
}

interface Peer extends Contender {
  readonly note: string;
  readonly correct: boolean;
  free(): void;
}

/** The best of cublasLt's heuristics, its result in `expected`; or why there is none. */
async function peerOf(arena: Arena, room: Room, problem: Problem, seconds: number): Promise<Peer | string> {
  if (typeof arena.cublasLt === "string") return arena.cublasLt;
  try {
    const addresses = { a: room.a.address(), b: room.b.address(), out: room.expected.address(), bias: 0n };
    const { launches, free } = arena.cublasLt.candidates(problem, "product", addresses);
    const { index, tried } = fastest(arena.timer, launches, seconds);
    const launch = launches[index] as () => void;
    const settled = (): void => {
      launch();
      arena.timer.wait();
    };
    const [correct] = await room.rows(settled, room.expected, toleranceFor(problem.k, "f32"));
    return { name: ltName, launch, free, correct, note: `heuristic ${index + 1} of ${tried}` };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const nothing = (plan: string, skipped: string): PlanRecord => ({
  ...{ plan, us: null, tflops: null, ofLt: null, correct: null },
  skipped: skipped.split("\n")[0] ?? "",
});

/** A kernel that is timed: `out = a @ b`, all by rows. */
export interface Candidate {
  readonly name: string;
  /** What it sums in. */
  readonly sum: MmaPlan["sum"];
  launch(matrices: Pick<Room, "a" | "b" | "out">, stream: Arena["stream"]): void;
}

/** A kernel of `mma-sync-kernel.ts`. */
export const planCandidate = (plan: MmaPlan): Candidate => ({
  name: mmaPlanName(plan),
  sum: plan.sum,
  launch: ({ a, b, out }, stream) => mmaGemm.launch({ stream }, a, b, out, plan),
});

interface Given {
  readonly out: Variant["out"];
  readonly candidates: readonly Candidate[];
  readonly size: number;
  /** For all contenders together. */
  readonly seconds: number;
}

/** Checks and times kernels, and cublasLt's best, at one size. */
export async function measureProducts(
  device: Device,
  arena: Arena,
  { out, candidates, size, seconds }: Given,
): Promise<readonly PlanRecord[]> {
  const problem: Problem = {
    ...{ dtype: "f16", layout: "nn", m: size, n: size, k: size, work: "product", group: "square" },
    ...(out === "f32" ? { result: out } : {}),
  };
  using room = new Room(device, size, out);
  await device.sync();
  const peer = await peerOf(arena, room, problem, seconds / 2);
  const contenders: Contender[] = typeof peer === "string" ? [] : [peer];
  const checked = new Map<string, Pick<PlanRecord, "correct" | "relative" | "skipped">>();
  for (const candidate of candidates) {
    const { name } = candidate;
    const launch = (): void => candidate.launch(room, arena.stream);
    const tolerance = toleranceFor(size, candidate.sum);
    try {
      const [pass, relative] = await room.rows(launch, room.out, tolerance);
      const correct = pass && (typeof peer === "string" || !peer.correct || (await room.whole(tolerance)));
      checked.set(name, { correct, relative });
      contenders.push({ name, launch });
    } catch (error) {
      checked.set(name, { correct: null, skipped: error instanceof Error ? error.message : String(error) });
    }
  }
  try {
    const figures = contenders.length > 0 ? flushed(arena.timer, contenders, seconds) : {};
    const lt = figures[ltName]?.median;
    const timed = ({ median: us, p10, p90, samples }: Figure) => ({
      us,
      tflops: round(teraflops(problem, us)),
      ofLt: lt === undefined ? null : round(lt / us),
      spread: [p10, p90, samples] as const,
    });
    const peerRecord = (): PlanRecord => {
      const figure = figures[ltName];
      if (typeof peer === "string" || !figure) return nothing(ltName, typeof peer === "string" ? peer : "not timed");
      return { plan: ltName, ...timed(figure), correct: peer.correct, note: peer.note };
    };
    const planRecords = [...checked].map(([plan, { correct, relative = Number.NaN, skipped = "not timed" }]): PlanRecord => {
      const figure = figures[plan];
      return figure ? { plan, ...timed(figure), correct, relative } : nothing(plan, skipped);
    });
    return [peerRecord(), ...planRecords];
  } finally {
    arena.timer.settle();
    if (typeof peer !== "string") peer.free();
  }
}
