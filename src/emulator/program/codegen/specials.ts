/** Special registers (PTX ISA 10) as expressions over a warp `w`, its block `B` and a lane `l`. */
import { reservedEnd, sharedOrigin } from "../../machine/memory.ts";
import { Unsupported } from "./unsupported.ts";

const axes: Readonly<Record<string, number>> = { x: 0, y: 1, z: 2 };

const words: Readonly<Record<string, string>> = {
  laneid: "l",
  warpid: "w.index",
  nwarpid: "B.warps.length",
  smid: "B.sm",
  nsmid: "B.launch.multiprocessors",
  cluster_ctarank: "B.rank",
  cluster_nctarank: "B.cluster.blocks.length",
  lanemask_eq: "(1<<l)",
  lanemask_lt: "((1<<l)-1)",
  lanemask_le: "((2<<l)-1)",
  lanemask_gt: "~((2<<l)-1)",
  lanemask_ge: "~((1<<l)-1)",
  clock: "(B.launch.clock(w)|0)",
  clock_hi: "0",
  globaltimer_lo: "(B.launch.clock(w)|0)",
  globaltimer_hi: "Math.floor(B.launch.clock(w)/4294967296)",
  // In units of 128 bytes.
  total_smem_size: "(B.launch.sharedBytes+127&-128)",
  // With the system's, and not in those units.
  aggr_smem_size: `(B.launch.sharedBytes+${sharedOrigin})`,
  dynamic_smem_size: "B.launch.dynamicBytes",
  // The system's part of shared memory lies below the program's, in each block of a cluster.
  reserved_smem_offset_begin: "(B.rank<<24)",
  reserved_smem_offset_end: `(${reservedEnd}+(B.rank<<24))`,
  reserved_smem_offset_cap: `(${sharedOrigin}+(B.rank<<24))`,
  reserved_smem_offset_0: "(B.rank<<24)",
  reserved_smem_offset_1: "(B.rank<<24)",
  // The workspace of a cooperative launch; what the driver leaves in the others says nothing to a program.
  envreg1: "Math.floor(B.launch.workspace/4294967296)",
  envreg2: "(B.launch.workspace|0)",
  is_explicit_cluster: "(B.launch.clustered?1:0)",
};
const longs: Readonly<Record<string, string>> = {
  clock64: "B.launch.clock(w)",
  globaltimer: "B.launch.clock(w)",
  gridid: "B.launch.id",
};

/** Per dimension. */
const triples: Readonly<Record<string, string>> = {
  ntid: "B.launch.block",
  ctaid: "B.index",
  nctaid: "B.launch.grid",
  clusterid: "B.cluster.index",
  nclusterid: "B.launch.clusters",
  cluster_ctaid: "B.place",
  cluster_nctaid: "B.launch.cluster",
};

/** Its lower and upper half. */
export function specialValue(name: string): readonly [string, string] {
  const [stem = "", part = ""] = name.split(".");
  const axis = axes[part];
  if (axis !== undefined) {
    if (stem === "tid") return [`w.tid[${axis * 32}+l]`, "0"];
    const triple = triples[stem];
    if (triple !== undefined) return [`${triple}[${axis}]`, "0"];
  }
  const word = words[name];
  if (word !== undefined) return [word, "0"];
  // What the driver would tell, and the graph that the launch belongs to: nothing, none.
  if (/^envreg\d+$/.test(name) || name === "current_graph_exec") return ["0", "0"];
  const long = longs[name];
  if (long !== undefined) return [`(${long}|0)`, `Math.floor(${long}/4294967296)`];
  throw new Unsupported(`the register %${name}`);
}
