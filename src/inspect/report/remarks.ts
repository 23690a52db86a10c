/** What an assembler said, as remarks at the author's lines. It names a function alone: the lines are found in the op graph. */

import { makeRemark, type Remark, type Span, type Spans, sameSpan } from "../../base/diag/index.ts";
import { accElements, type Graph, isAcc, type Op, walkOps } from "../../ir/index.ts";
import type { LocalAccess } from "../cubin/index.ts";
import type { AssemblerLog, PerformanceLoss, Serialisation } from "./assembler-log.ts";

/** Where something of the same kind happens, the first place of each line. */
class Places {
  readonly list: Spans[] = [];
  add(spans: Spans): void {
    const [at] = spans;
    if (at && !this.list.some(([known]) => known && sameSpan(known, at))) this.list.push(spans);
  }
}

const products = /^wgmma\.mma_async/;

/** Places in a graph that have to do with products of warpgroups. */
interface Sites {
  readonly products: readonly Spans[];
  readonly reads: readonly Spans[];
  readonly writes: readonly Spans[];
  /** Registers of a thread in the largest accumulator. */
  readonly accumulator: number;
}

function sitesOf(graph: Graph): Sites {
  const [products_, reads, writes] = [new Places(), new Places(), new Places()];
  let accumulator = 0;
  walkOps(graph.body, (op: Op) => {
    if (op.name === "acc.unpack") reads.add(op.spans);
    if (op.name === "acc.pack" || op.name === "acc.zero") writes.add(op.spans);
    if (!products.test(op.name)) return;
    products_.add(op.spans);
    const type = op.results[0]?.type;
    if (type && isAcc(type)) accumulator = Math.max(accumulator, (accElements(type) * (type.dtype === "f16" ? 2 : 4)) / 4);
  });
  return { products: products_.list, reads: reads.list, writes: writes.list, accumulator };
}

const shown = 3;
const own = (spans: Spans): Spans => spans.filter(({ note }) => note !== "in the kernel at");
const noted = (places: readonly Spans[], note: string): Spans =>
  places.slice(0, shown).flatMap(([at]): readonly Span[] => (at ? [{ ...at, note }] : []));

/** What the assembler means, and the way out. */
const reasons: Readonly<Record<Serialisation, { readonly because: string; readonly advice: string }>> = {
  "calls of extern functions": {
    because: "the kernel calls a function of another module",
    advice: "take the call out: nothing that the language compiles calls a function, so it is in PTX of yours",
  },
  "a call of a function": {
    because: "products are under way where a function is called",
    advice:
      "wait with wgmma.wait(0) before the call; of what the language compiles nothing calls a function, so it is in PTX of yours, such as printf",
  },
  "registers of the pipeline": {
    because: "the accumulators that are under way at the same time do not fit the registers of a thread",
    advice:
      "make the tile of a warpgroup smaller, share it among more warpgroups, or give the warpgroup more registers: fewer threads in a block, `registers` of warpgroup.specialize",
  },
  "registers of the function": {
    because: "the kernel has too few registers for its accumulators and what is alive beside them",
    advice:
      "give its threads more registers: a smaller block, a higher `registers` option, or `registers` of warpgroup.specialize; or make the tile of a warpgroup smaller",
  },
  "registers of A are written": {
    because: "registers that a product still reads as its A are written before it is waited for",
    advice:
      "wait for the product with wgmma.wait(…) before the tile of A changes, or let products take A in turns from two tiles",
  },
  "accumulators are read": {
    because: "an accumulator is read while its product is under way",
    advice: "wait with wgmma.wait(0) before the accumulator is read, or read another one than that of the product under way",
  },
  "accumulators are written": {
    because: "something else than a product writes an accumulator between products that are under way",
    advice:
      "let the first product begin with zeros, `mma(a, b, { accumulate: false })`, in place of an accumulator that is set by hand; wait with wgmma.wait(0) before it is changed",
  },
  "an ill-formed stage": {
    because: "products, their commit and their wait do not follow each other on every way through the code",
    advice: "keep a product, its commit and the wait for it in the same branch or loop, and let whole warpgroups go the same way",
  },
  "waits in a branch": {
    because: "the wait for a product would have to stand in a branch that not all threads of the warpgroup take",
    advice:
      "wait with wgmma.wait(…) before the branch, or let whole warpgroups take it: conditions on warpgroup.index are the same in all their threads",
  },
  "fences in a branch": {
    because: "the fence of a product would have to stand in a branch that not all threads of the warpgroup take",
    advice:
      "issue the product outside of the branch, or let whole warpgroups take it: conditions on warpgroup.index are the same in all their threads",
  },
};

/** The lines that a reason is about, beside the products. */
function culprits(reason: Serialisation | undefined, { reads, writes }: Sites): Spans {
  if (reason === "accumulators are read") return noted(reads, "an accumulator is read at");
  if (reason === "accumulators are written") return noted(writes, "an accumulator is set at");
  return [];
}

function wgmmaRemark({ code, reason, text }: PerformanceLoss, sites: Sites): Remark {
  const [first = [], ...others] = sites.products;
  const known = reason && reasons[reason];
  const registers =
    reason === "registers of the pipeline" || reason === "registers of the function"
      ? ` The largest accumulator takes ${sites.accumulator} registers of each thread.`
      : "";
  const why = known ? known.because : text.replace(/^.*due to /, "").replace(/ in the function '.*'$/, "");
  const message = `ptxas does the products of this kernel one after the other${code ? ` (${code})` : ""}: ${why}.${registers} It names no line; these are those that it can be about.`;
  const spans = [...own(first), ...noted(others, "another product at"), ...culprits(reason, sites)];
  return makeRemark("R6301", message, known?.advice ?? "see what the assembler says of it", spans);
}

function setmaxnregRemark({ code, text }: PerformanceLoss, graph: Graph): Remark {
  const places = new Places();
  walkOps(graph.body, (op) => void (op.name === "setmaxnreg" && places.add(op.spans)));
  const why = text.replace(/^'setmaxnreg' ignored;? ?/, "").replace(/\.$/, "");
  return makeRemark(
    "R6302",
    `ptxas ignores the registers that this kernel gives its warpgroups${code ? ` (${code})` : ""}: ${why}.`,
    "give the kernel a block of a size that is known, and no call of a function in PTX of yours; assemble it whole, not for later linking",
    own(places.list[0] ?? []),
  );
}

const otherRemark = ({ code, text }: PerformanceLoss): Remark =>
  makeRemark("R6302", `ptxas${code ? ` (${code})` : ""}: ${text}`, "see what the assembler says of it", []);

/** A place of the graph in that line, else the line itself. */
function placeOf(graph: Graph, file: string, line: number): Spans {
  const found: Spans[] = [];
  walkOps(graph.body, ({ spans }) => {
    const [at] = spans;
    if (found.length === 0 && at?.file === file && at.line === line) found.push(own(spans));
  });
  return found[0] ?? (line > 0 ? [{ file, line, column: 1, length: 1 }] : []);
}

/** The lines whose instructions keep registers in local memory, as far as they are known. */
function spillRemark(
  { spillStoreBytes = 0, spillLoadBytes = 0 }: AssemblerLog,
  lines: readonly LocalAccess[],
  graph: Graph,
): Remark {
  const [first, ...others] = lines;
  const spans = first ? placeOf(graph, first.file, first.line) : [];
  const more = noted(
    others.map(({ file, line }) => placeOf(graph, file, line)),
    "and at",
  );
  const where = first ? ` Most of it is in this line: ${first.storeBytes} and ${first.loadBytes}.` : "";
  return makeRemark(
    "R6303",
    `ptxas keeps registers in local memory: each thread has instructions that store ${spillStoreBytes} bytes and load ${spillLoadBytes}.${where}`,
    "give threads more registers (a smaller block, a higher `registers` option), or keep fewer values alive at the same time: smaller tiles, less unrolling",
    [...spans, ...more],
  );
}

/** Remarks on what the assembler of a kernel said. `lines`: where local memory is used, where that is known. */
export function assemblerRemarks(log: AssemblerLog, lines: readonly LocalAccess[], graph: Graph): readonly Remark[] {
  const sites = sitesOf(graph);
  const of = (loss: PerformanceLoss): Remark =>
    loss.about === "wgmma"
      ? wgmmaRemark(loss, sites)
      : loss.about === "setmaxnreg"
        ? setmaxnregRemark(loss, graph)
        : otherRemark(loss);
  const spills = (log.spillStoreBytes ?? 0) + (log.spillLoadBytes ?? 0) > 0;
  return [...log.losses.map(of), ...(spills ? [spillRemark(log, lines, graph)] : [])];
}
