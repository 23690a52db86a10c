import type { Device } from "warpsmith";
import { type Arena, fastest } from "./contenders.ts";
import { type Contender, flushed } from "./measure.ts";
import { type MmaPlan, mmaGemm, mmaPlanName } from "./mma-sync-kernel.ts";
import type { Variant } from "./mma-sync-plans.ts";
import { type Problem, teraflops } from "./problem.ts";
import { ProductRoom, toleranceFor } from "./product-room.ts";
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

const ltName = "cublasLt";
interface Peer extends Contender {
  readonly note: string;
  readonly correct: boolean;
  free(): void;
}

/** The best of cublasLt's heuristics, its result in `expected`; or why there is none. */
async function peerOf(arena: Arena, room: ProductRoom, problem: Problem, seconds: number): Promise<Peer | string> {
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
  launch(matrices: Pick<ProductRoom, "a" | "b" | "out">, stream: Arena["stream"]): void;
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
  using room = new ProductRoom(device, { size, result: out, work: "product", layout: "nn" });
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
