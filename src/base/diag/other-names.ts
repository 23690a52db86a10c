import { editDistance, joined, likely, sameLetters } from "./nearest.ts";

/** Names by what stands for them, each list as one text. */
const byAlias = (names: Readonly<Record<string, string>>): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, string[]>();
  for (const [name, aliases] of Object.entries(names))
    for (const alias of aliases.split(" ")) found.set(alias, [...(found.get(alias) ?? []), name]);
  return found;
};

/** What CUDA, CUTLASS, NVDSL, Triton and Gluon call what is an option here: without what divides the parts of a name, in small letters. */
const optionAliases = byAlias({
  pred: "predicate predicated condition cond when mask guard enable if",
  mask: "pred predicate predicated condition cond when valid",
  tx: "txcount transactions transactioncount transactionbytes expecttx expectedtx bytes nbytes",
  count: "arrivals arrivecount arrivalcount n",
  rank: "ctaid cta blockrank clusterrank peer",
  block: "threads numthreads nthreads threadsperblock blocksize blockdim workgroup workgroupsize ntid",
  grid: "blocks numblocks griddim gridsize workgroups nctaid",
  cluster: "clusterdim clustersize clustershape numctas ctaspercluster",
  smem: "shared sharedmem sharedmemory sharedbytes sharedmembytes smembytes smemsize dynamicsmem dynamicsharedmemory shmem",
  registers: "regs maxregs maxregisters maxnreg maxrregcount numregs",
  blocksPerSM: "minblocks minblockspersm minblockspermultiprocessor minctapersm occupancy",
  overlapPrevious: "pdl launchpdl programmatic programmaticdependentlaunch programmaticstreamserialization",
  box: "boxshape boxdim boxdims boxsize tile tileshape blockshape smemshape",
  oobFill: "oob oobfillkind fill padding",
  elementStrides: "traversalstrides",
  cacheHint: "cachepolicy l2hint l2cachehint evictionpolicy",
  evict: "evictionpolicy eviction evictionpriority",
  cache: "cachemodifier cacheop",
  other: "default fill fallback otherwise padding passthru",
  scope: "syncscope memoryscope threadscope",
  order: "sem semantics memoryorder memorysemantics ordering",
  multicast: "ctamask mcast",
  accumulate: "useacc useaccumulator acc accum scaled",
  stages: "numstages depth buffers numbuffers",
  perThread: "sizeperthread",
  out: "result results dest destination returns",
  exclusive: "exclude",
});

/** The same of words that options take. */
const wordAliases = byAlias({
  block: "cta threadblock workgroup",
  gpu: "device agent",
  system: "sys",
  "16B": "16",
  "32B": "32",
  "64B": "64",
  none: "no off false 0",
  zero: "zeros 0",
  f64: "float64 double fp64",
  f32: "float32 float single fp32",
  f16: "float16 half fp16",
  bf16: "bfloat16 bfloat",
  e4m3: "float8e4m3 float8e4m3fn e4m3fn fp8e4m3 fp8",
  e5m2: "float8e5m2 fp8e5m2",
  i64: "int64 long bigint s64",
  u64: "uint64 ulong biguint64",
  i32: "int32 int s32",
  u32: "uint32 uint unsigned",
  i16: "int16 short s16",
  u16: "uint16 ushort",
  i8: "int8 char s8",
  u8: "uint8 uchar byte",
  bool: "boolean pred i1",
});

/** The same of members of the language's objects. */
const memberAliases = byAlias({
  mma: "updateaccumulator wgmma matmul dot gemm",
  at: "updatesmem get index",
  arrive: "arriveexpecttx arriveandexpecttx",
  wait: "waitparity waitbarrier",
  store: "storeaccumulator copyfrom",
});

function meant(name: string, words: readonly string[], aliases: ReadonlyMap<string, readonly string[]>): string | undefined {
  const spelt = sameLetters(name, words) ?? words.find((word) => editDistance(name, word) === 1);
  const alias = aliases.get(joined(name))?.find((word) => words.includes(word));
  return spelt ?? alias ?? likely(name, words);
}

/** The option that was most likely meant by a name that is none. */
export const meantOption = (name: string, options: Iterable<string>): string | undefined =>
  meant(name, [...options], optionAliases);

/** The member that was most likely meant by a name that is none. */
export const meantMember = (name: string, members: Iterable<string>): string | undefined =>
  meant(name, [...members], memberAliases);

/**
 * What to type where a value is none of the words that `allowed` quotes: the one that was most likely meant first. `given`: the value as the message shows it.
 */
export function wordFix(given: string, allowed: string): string {
  const words = [...allowed.matchAll(/"([^"]+)"/g)].map(([, word = ""]) => word);
  const name = /"([^"]*)"/.exec(given)?.[1] ?? given;
  const word = meant(name, words, wordAliases);
  return word === undefined ? allowed : `"${word}"; there are ${allowed}`;
}
