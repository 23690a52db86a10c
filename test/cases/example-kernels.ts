// The kernels of examples/kernels, against plain JavaScript.
import { f16round } from "@petamoriken/float16";
import { add as addPipelined } from "../../examples/kernels/add-pipelined.ts";
import { add as addSpecialized } from "../../examples/kernels/add-warp-specialized.ts";
import { attention } from "../../examples/kernels/flash-attention.ts";
import { type Case, defineCase, input, mapOf, output, within } from "./case.ts";
import { integers } from "./numbers.ts";

const box = { box: [32, 64] };

function addCase(name: string, M: number, N: number, loads: number, stores?: number): Case {
  const kernel = stores === undefined ? addPipelined : addSpecialized;
  return defineCase(`kernels/${name}-${M}x${N}-buffers${loads}`, kernel, () => {
    const [a, b] = [integers(M * N, -50, 50, 3), integers(M * N, -50, 50, 4)];
    const sum = output(
      "f32",
      [M, N],
      a.map((v, i) => v + (b[i] ?? 0)),
    );
    const maps = [mapOf(input("f32", [M, N], a), box), mapOf(input("f32", [M, N], b), box), mapOf(sum, box)];
    return { args: [...maps, loads, ...(stores === undefined ? [] : [stores])] };
  });
}

/** softmax(Q Kᵀ / √d) V of one head. */
function attended(
  q: readonly number[],
  k: readonly number[],
  v: readonly number[],
  S: number,
  D: number,
  causal: boolean,
): number[] {
  return Array.from({ length: S }, (_, i) => {
    const seen = causal ? i + 1 : S;
    const scores = Array.from({ length: seen }, (_, j) => {
      let sum = 0;
      for (let d = 0; d < D; d++) sum += (q[i * D + d] ?? 0) * (k[j * D + d] ?? 0);
      return sum / Math.sqrt(D);
    });
    const most = Math.max(...scores);
    const weights = scores.map((s) => Math.exp(s - most));
    const total = weights.reduce((a, b) => a + b, 0);
    return Array.from({ length: D }, (_, d) => weights.reduce((sum, w, j) => sum + w * (v[j * D + d] ?? 0), 0) / total);
  }).flat();
}

function attentionCase(H: number, S: number, D: number, causal: boolean): Case {
  return defineCase(`kernels/attention-h${H}-s${S}-d${D}${causal ? "-causal" : ""}`, attention, () => {
    const [q, k, v] = [7, 8, 9].map((seed) => integers(H * S * D, -64, 64, seed).map((n) => f16round(n / 64)));
    const head = (x: readonly number[] | undefined, h: number): readonly number[] => (x ?? []).slice(h * S * D, (h + 1) * S * D);
    const expected = Array.from({ length: H }, (_, h) => attended(head(q, h), head(k, h), head(v, h), S, D, causal)).flat();
    const out = output("f16", [H, S, D], expected, { agree: within(2e-3) });
    const map = (x: Parameters<typeof mapOf>[0], rows: number) => mapOf(x, { box: [1, rows, 64], swizzle: "128B" });
    const given = [q, k, v].map((x) => input("f16", [H, S, D], x ?? []));
    return { args: [...given.map((x, i) => map(x, i === 0 ? 64 : 128)), map(out, 64), causal] };
  });
}

export const exampleKernelCases: readonly Case[] = [
  addCase("add-pipelined", 100, 200, 1),
  addCase("add-pipelined", 64, 400, 3),
  addCase("add-warp-specialized", 100, 200, 1, 1),
  addCase("add-warp-specialized", 64, 400, 2, 2),
  attentionCase(1, 256, 128, false),
  attentionCase(2, 200, 128, true),
  attentionCase(2, 200, 64, false),
  attentionCase(1, 384, 64, true),
];
