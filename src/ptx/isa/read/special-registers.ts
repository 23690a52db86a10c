const vectors = ["tid", "ntid", "ctaid", "nctaid", "clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid"];
const clocks = ["clock", "clock_hi", "globaltimer_lo", "globaltimer_hi"];
const longClocks = ["clock64", "globaltimer"];
const words = [
  ...clocks,
  ...["laneid", "warpid", "nwarpid", "smid", "nsmid", "cluster_ctarank", "cluster_nctarank"],
  ...["lanemask_eq", "lanemask_le", "lanemask_lt", "lanemask_ge", "lanemask_gt"],
  ...["total_smem_size", "aggr_smem_size", "dynamic_smem_size"],
  ...["reserved_smem_offset_begin", "reserved_smem_offset_end", "reserved_smem_offset_cap"],
  ...["reserved_smem_offset_0", "reserved_smem_offset_1"],
];

/** The special registers (PTX ISA 10) without their `%`, and their types. */
export const specialTypes: ReadonlyMap<string, "u32" | "u64" | "pred"> = new Map([
  ...vectors.flatMap((name) => ["x", "y", "z"].map((part): [string, "u32"] => [`${name}.${part}`, "u32"])),
  ...words.map((name): [string, "u32"] => [name, "u32"]),
  ...Array.from({ length: 32 }, (_, i): [string, "u32"] => [`envreg${i}`, "u32"]),
  ...["gridid", ...longClocks, "current_graph_exec"].map((name): [string, "u64"] => [name, "u64"]),
  ["is_explicit_cluster", "pred"] as [string, "pred"],
]);

/** Those that tell the time: no two reads need agree. */
export const clockRegisters: ReadonlySet<string> = new Set([...clocks, ...longClocks]);
