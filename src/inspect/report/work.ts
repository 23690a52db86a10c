import { noSpans, type Span } from "../../base/diag/index.ts";
import type { Dim3 } from "../../base/types.ts";
import type { Graph } from "../../ir/index.ts";
import { count, type Doubt, type DoubtKind, type ParameterFacts } from "./count/index.ts";
import type { CountNote, TensorTraffic, Work } from "./types.ts";

const sentences: Readonly<Record<DoubtKind, string>> = {
  branch: "Which side of a branch runs is not known before the launch; the larger count of the two stands:",
  predicate: "Whether this happens is not known before the launch; it is counted as if it did in every thread:",
  loop: "How often a loop runs is not known before the launch; what it does is counted once:",
  bytes: "How many bytes are moved is not known before the launch; they are not counted:",
  box: "Which tensor map is used is not known before the launch; its bytes are not counted:",
  ptx: "PTX of the author's is not counted:",
  blocks: "There are too many blocks to look at each; conditions on their numbers are counted as if they held:",
};

const noteOf = ({ kind, spans }: Doubt): CountNote => ({ kind, message: sentences[kind], spans });

type Counts = ReadonlyMap<string, number>;

/** The counts whose names begin so, by the rest of the name. */
const withPrefix = (counts: Counts, prefix: string): Readonly<Record<string, number>> =>
  Object.fromEntries([...counts].flatMap(([name, n]) => (name.startsWith(prefix) ? [[name.slice(prefix.length), n]] : [])));

function tensorsOf(counts: Counts, parameters: readonly ParameterFacts[]): readonly TensorTraffic[] {
  const of = (key: string, name: string, bytes: number | undefined): readonly TensorTraffic[] => {
    const get = (way: string, by: string): number => counts.get(`${way} ${by} ${key}`) ?? 0;
    const traffic = (way: string) => ({ threads: get(way, "threads"), tma: get(way, "tma") });
    const [read, written] = [traffic("read"), traffic("written")];
    const any = read.threads + read.tma + written.threads + written.tma > 0;
    return any ? [{ name, bytes, read, written }] : [];
  };
  return [...parameters.flatMap(({ name, bytes }, i) => of(`${i}`, name, bytes)), ...of("?", "?", undefined)];
}

const total = (traffic: { readonly threads: number; readonly tma: number }): number => traffic.threads + traffic.tma;
const sum = (numbers: readonly number[]): number => numbers.reduce((all, n) => all + n, 0);

const leastOf = ({ read, written, bytes = Number.POSITIVE_INFINITY }: TensorTraffic): number =>
  Math.min(total(read), bytes) + Math.min(total(written), bytes);

/** What a launch of a graph does. */
export function workOf(graph: Graph, parameters: readonly ParameterFacts[], grid: Dim3, place: Span | undefined): Work {
  const { counts, doubts } = count(graph, parameters, grid, place ? [place] : noSpans);
  const tensors = tensorsOf(counts, parameters);
  const all = (way: "read" | "written") => ({
    threads: sum(tensors.map((tensor) => tensor[way].threads)),
    tma: sum(tensors.map((tensor) => tensor[way].tma)),
  });
  const get = (name: string): number => counts.get(name) ?? 0;
  const [tensorOperations, operations] = [withPrefix(counts, "tensor "), withPrefix(counts, "plain ")];
  const leastBytes = sum(tensors.map(leastOf));
  return {
    exact: doubts.length === 0,
    read: all("read"),
    written: all("written"),
    tensors,
    leastBytes,
    tensorOperations,
    operations,
    wgmma: get("wgmma"),
    mma: get("mma"),
    barriers: {
      block: get("bar.sync"),
      cluster: get("barrier.cluster"),
      grid: get("grid.sync"),
      arrivals: get("mbarrier.arrive"),
      waits: get("mbarrier.wait"),
    },
    intensity: (sum(Object.values(tensorOperations)) + sum(Object.values(operations))) / leastBytes,
    notes: doubts.map(noteOf),
  };
}
