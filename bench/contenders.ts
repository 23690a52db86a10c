import type { Stream } from "warpsmith";
import type { Plan } from "warpsmith/kernels";
import type { Operands } from "./check.ts";
import { reluBiasResidual } from "./fused.ts";
import { type Contender, flushedRounds } from "./measure.ts";
import type { Driver } from "./native/driver.ts";
import type { Cublas, CublasLt } from "./peers/cublas.ts";
import { kernelsFor, loadPtx, type PtxKernel } from "./peers/ptx-kernels.ts";
import type { Problem, Work } from "./problem.ts";
import { median } from "./stats.ts";
import type { Timer } from "./timer.ts";

/** Somebody who computes a case, or a part of it to compare with. */
export interface Rival extends Contender {
  readonly work: Work;
  /** What to say about it in the record. */
  readonly note?: string;
  free?(): void;
}

/** What every rival works with. */
export interface Arena {
  readonly stream: Stream;
  readonly native: bigint;
  readonly driver: Driver;
  readonly timer: Timer;
  readonly cublas: Cublas | string;
  readonly cublasLt: CublasLt | string;
  readonly ptx: readonly PtxKernel[];
  readonly plans: readonly NamedPlan[];
  /** Whether plain products are also made by kernels that serve every M, and by those whose rows do not depend on it. */
  readonly kinds: boolean;
}

/** A name, and how to make who bears it; what it throws is why it does not take part. */
export type Entry = readonly [name: string, make: () => Rival | Promise<Rival>];

export const ourName = "warpsmith";

/** A plan to try, instead of the one that `matmul` would choose. */
export interface NamedPlan {
  readonly name: string;
  readonly plan: Plan;
}

/** `matmul` of warpsmith/kernels. */
export async function ours({ work }: Problem, { a, b, out, bias, residual }: Operands, stream: Stream): Promise<() => void> {
  const { matmul } = await import("warpsmith/kernels");
  if (work === "product") return () => void matmul(a, b, { out, stream });
  if (work === "relu-bias") throw new Error("only the whole epilogue is timed");
  const options = { out, stream, epilogue: reluBiasResidual, inputs: { bias, residual } };
  return () => void matmul(a, b, options);
}

/** The same by other kinds of kernels than `matmul` takes unasked. */
const kinds: readonly (readonly [name: string, options: { readonly dynamicM?: boolean; readonly invariant?: boolean }])[] = [
  ["dynamicM", { dynamicM: true }],
  ["invariant", { invariant: true }],
  ["dynamicM invariant", { dynamicM: true, invariant: true }],
];

function kindEntries({ kinds: asked, stream }: Arena, { a, b, out }: Operands): readonly Entry[] {
  if (!asked) return [];
  return kinds.map(([kind, options]): Entry => {
    const name = `${ourName} ${kind}`;
    return [
      name,
      async () => {
        const { matmul } = await import("warpsmith/kernels");
        return { name, work: "product", launch: () => void matmul(a, b, { out, stream, ...options }) };
      },
    ];
  });
}

/** The same by a plan, without the memory that `matmul` has of a few launches. */
async function byPlan(
  { work }: Problem,
  { a, b, out, bias, residual }: Operands,
  stream: Stream,
  plan: Plan,
): Promise<() => void> {
  const { matmulKernel } = await import("warpsmith/kernels");
  const fused = work === "product" ? {} : { epilogue: reluBiasResidual, inputs: { bias, residual } };
  const { before, kernel, args } = matmulKernel(a, b, { out, plan, ...fused });
  const [copy] = before;
  if (!copy) return () => kernel.launch({ stream }, ...args);
  return () => {
    copy.kernel.launch({ stream }, ...copy.args);
    kernel.launch({ stream, overlapPrevious: true }, ...args);
  };
}

const loaded = <T extends object>(library: T | string): T => {
  if (typeof library === "string") throw new Error(library);
  return library;
};

/** The fastest of the algorithms that cublasLt proposes: all flushed and in turns, then the four best again for longer. */
export function fastest(
  timer: Timer,
  launches: readonly (() => void)[],
  seconds: number,
): { readonly index: number; readonly tried: number } {
  const working = launches.flatMap((launch, index) => {
    try {
      launch();
      timer.wait();
      return [{ name: String(index), launch }];
    } catch {
      return [];
    }
  });
  if (working.length === 0) throw new Error("none of the algorithms proposed runs");
  const rank = (list: readonly Contender[], rounds: number): readonly Contender[] => {
    const samples = flushedRounds(timer, list, rounds);
    const us = ({ name }: Contender): number => median(samples.get(name) ?? []);
    return list.toSorted((x, y) => us(x) - us(y));
  };
  const roundsIn = (list: readonly Contender[], share: number): number => {
    const begin = performance.now();
    flushedRounds(timer, list, 1);
    const each = (performance.now() - begin) / 1000;
    return Math.max(3, Math.min(60, Math.round((seconds * share) / each)));
  };
  const finalists = rank(working, roundsIn(working, 0.6)).slice(0, 4);
  const [best] = rank(finalists, roundsIn(finalists, 0.4));
  return { index: Number(best.name), tried: working.length };
}

/** The best of cublasLt's heuristics for `work`. */
function bestOfLt(arena: Arena, problem: Problem, work: Work, operands: Operands, seconds: number, name: string): Rival {
  const { a, b, out, bias } = operands;
  const addresses = { a: a.address(), b: b.address(), out: out.address(), bias: bias.address() };
  const { launches, free } = loaded(arena.cublasLt).candidates(problem, work, addresses);
  const { index, tried } = fastest(arena.timer, launches, seconds);
  return { name, work, launch: launches[index], note: `heuristic ${index + 1} of ${tried}`, free };
}

function ptxEntries(arena: Arena, problem: Problem, operands: Operands): readonly Entry[] {
  const { a, b, out, residual, wideBias } = operands;
  return kernelsFor(arena.ptx, problem).map((kernel) => {
    const name = `ptx ${kernel.name}`;
    const make = (): Rival => {
      const addresses = {
        ...{ a: a.address(), b: b.address(), out: out.address() },
        ...{ residual: residual.address(), wideBias: wideBias.address() },
      };
      return { name, work: problem.work, ...loadPtx(arena.driver, kernel, addresses, arena.native) };
    };
    return [name, make];
  });
}

/** Who takes part in a case. In a fused one: also the plain product, and what cublasLt can fuse. */
export function entriesFor(arena: Arena, problem: Problem, operands: Operands, ltSeconds: number): readonly Entry[] {
  const { a, b, out, bias } = operands;
  const plain: Problem = { ...problem, work: "product" };
  const addresses = () => ({ a: a.address(), b: b.address(), out: out.address(), bias: bias.address() });
  const our = (name: string, of: Problem): Entry => [
    name,
    async () => ({ name, work: of.work, launch: await ours(of, operands, arena.stream) }),
  ];
  const lt = (name: string, work: Work): Entry => [name, () => bestOfLt(arena, problem, work, operands, ltSeconds, name)];
  const gemm: Entry = [
    "cublas",
    () => ({ name: "cublas", work: "product", launch: loaded(arena.cublas).gemm(problem, addresses()) }),
  ];
  const rest = ptxEntries(arena, problem, operands);
  const plans = arena.plans.map(({ name, plan }): Entry => {
    const named = `${ourName} ${name}`;
    const make = async () => ({ name: named, work: problem.work, launch: await byPlan(problem, operands, arena.stream, plan) });
    return [named, make];
  });
  if (problem.work === "product")
    return [our(ourName, problem), ...kindEntries(arena, operands), gemm, lt("cublasLt", "product"), ...rest, ...plans];
  return [
    our(ourName, problem),
    our(`${ourName} product`, plain),
    lt("cublasLt product", "product"),
    lt("cublasLt relu-bias", "relu-bias"),
    ...rest,
    ...plans,
  ];
}
