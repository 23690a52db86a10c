import type { DeviceTensor, Stream, TMA } from "warpsmith";
import { choosePlan } from "./choose-plan.ts";
import { type HalfType, makeGemm, type Problem } from "./gemm.ts";
import { mapOf } from "./maps.ts";
import { boxesOf, type Plan } from "./plan.ts";

type Matrix<D extends HalfType> = DeviceTensor<D, 2>;

export interface MatmulOptions<D extends HalfType> {
  /** Where the product goes: [M, N], rows without gaps between elements. Default: new memory. */
  readonly out?: Matrix<D>;
  readonly stream?: Stream;
  /** How to cut it up, instead of what measurement chose. */
  readonly plan?: Plan;
}

/** The dimension whose elements are neighbours: "outer" for a transposed view. */
function majorOf(name: string, { strides: [outer, inner], shape }: Matrix<HalfType>): "outer" | "inner" {
  if (inner === 1 || shape[1] === 1) return "inner";
  if (outer === 1) return "outer";
  throw new TypeError(`matmul: ${name} has no neighbouring elements along either dimension (strides ${outer}, ${inner})`);
}

interface Ready {
  readonly b: object;
  readonly out: object;
  readonly plan: Plan | undefined;
  readonly kernel: ReturnType<typeof makeGemm>;
  readonly maps: readonly [TMA<HalfType, 2>, TMA<HalfType, 2>, TMA<HalfType, 2>];
}
const noInputs = Object.freeze({});
const ready = new WeakMap<object, Ready[]>();
const kernels = new Map<string, Ready["kernel"]>();

function prepare(a: Matrix<HalfType>, b: Matrix<HalfType>, out: Matrix<HalfType>, given: Plan | undefined): Ready {
  const [m, k] = a.shape;
  const [, n] = b.shape;
  const aMajor = majorOf("a", a) === "inner" ? "k" : "mn";
  const bMajor = majorOf("b", b) === "outer" ? "k" : "mn";
  const problem: Problem = { m, n, k, dtype: a.dtype, aMajor, bMajor };
  const plan = given ?? choosePlan(problem, a.device.multiprocessors);
  const key = JSON.stringify([problem, plan]);
  const kernel = kernels.get(key) ?? makeGemm(problem, plan);
  kernels.set(key, kernel);
  const { promotion } = plan;
  const boxes = boxesOf(plan, aMajor, bMajor);
  const maps = [
    mapOf(aMajor === "k" ? a : a.transpose(1, 0), boxes.a, "128B", promotion),
    mapOf(bMajor === "k" ? b.transpose(1, 0) : b, boxes.b, "128B", promotion),
    mapOf(out, boxes.d, boxes.swizzle, promotion),
  ] as const;
  return { b, out, plan: given, kernel, maps };
}

/** a @ b for f16 and bf16, summed in f32. a is [M, K] and b [K, N] by shape; either may be a transposed view. */
export function matmul<D extends HalfType>(a: Matrix<D>, b: Matrix<D>, options: MatmulOptions<D> = {}): Matrix<D> {
  const out = options.out ?? (a.device.empty(a.dtype, [a.shape[0], b.shape[1]]) as Matrix<D>);
  const list = ready.get(a) ?? [];
  let found = list.find((r) => r.b === b && r.out === out && r.plan === options.plan);
  if (!found) {
    found = prepare(a, b, out, options.plan);
    list.push(found);
    ready.set(a, list);
  }
  found.kernel.launch(options.stream ? { stream: options.stream } : {}, ...found.maps, noInputs);
  return out;
}
