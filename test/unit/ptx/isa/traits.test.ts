import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type FormTraits, type ReadFormName, readForm, readFormNames } from "../../../../src/ptx/parse/index.ts";

const formsWith = (holds: (traits: FormTraits) => boolean): readonly ReadFormName[] =>
  readFormNames.filter((name) => holds(readForm(name)));
const names = (text: string): readonly string[] => text.trim().split(/\s+/).sort();

const barriers = `
  bar.sync bar.arrive bar.red bar.red.popc barrier.sync barrier.arrive barrier.red barrier.red.popc
  barrier.cluster.arrive barrier.cluster.wait`;
const products =
  "wgmma.mma_async wgmma.mma_async.rs wgmma.mma_async.sp wgmma.mma_async.sp.rs wgmma.mma_async.b1 wgmma.mma_async.b1.rs";
const mbarriers = `
  mbarrier.init mbarrier.inval mbarrier.expect_tx mbarrier.complete_tx
  mbarrier.arrive mbarrier.arrive.expect_tx mbarrier.arrive.noComplete
  mbarrier.arrive_drop mbarrier.arrive_drop.expect_tx mbarrier.arrive_drop.noComplete
  mbarrier.test_wait mbarrier.test_wait.parity mbarrier.try_wait mbarrier.try_wait.parity`;

describe("classes of instructions", () => {
  const classes: readonly (readonly [string, (traits: FormTraits) => boolean, string])[] = [
    [
      "run by all lanes of the warp together",
      (t) => t.collective === true,
      `${barriers} ${products} wgmma.fence wgmma.commit_group wgmma.wait_group setmaxnreg ldmatrix stmatrix movmatrix
       mma mma.b1 wmma.load wmma.store wmma.mma wmma.mma.half wmma.mma.b1 tensormap.cp_fenceproxy`,
    ],
    ["barriers of threads", (t) => t.barrier === "threads", `${barriers} bar.warp.sync`],
    ["operations on mbarriers", (t) => t.barrier === "mbarrier", mbarriers],
    ["arrivals at barriers of threads", (t) => t.arrives === true, "bar.arrive barrier.arrive barrier.cluster.arrive"],
    ["counts at barriers of threads", (t) => t.joins === "count", "bar.red.popc barrier.red.popc"],
    ["joins at barriers of threads", (t) => t.joins === "op", "bar.red barrier.red"],
    [
      "exchanges of lanes",
      (t) => t.exchanges === true,
      "shfl movmatrix mma mma.b1 wmma.load wmma.store wmma.mma wmma.mma.half wmma.mma.b1",
    ],
    ["what leaves a carry", (t) => t.carries === true, "add.cc sub.cc mad.cc"],
    ["waits by parity", (t) => t.phase === "parity", "mbarrier.test_wait.parity mbarrier.try_wait.parity"],
    ["waits by state", (t) => t.phase === "state", "mbarrier.test_wait mbarrier.try_wait"],
    ["loads", (t) => t.access === "load", "ld ldu ldmatrix wmma.load tex tex.level tex.grad tld4 suld.b"],
    ["loads that others overtake", (t) => t.overtaken === true, "ldmatrix wmma.load"],
    ["loads that see no writes", (t) => t.nonCoherent === true, "ldu tex tex.level tex.grad tld4"],
    ["stores", (t) => t.access === "store", "st st.async stmatrix wmma.store sust.b sust.p"],
    ["atomics", (t) => t.access === "atomic", "atom atom.cas"],
    ["reductions", (t) => t.access === "reduction", "red red.async sured.b sured.p"],
    ["told to other blocks by strong accesses", (t) => t.communicates === "strong", "ld st"],
    [
      "told to other blocks always",
      (t) => t.communicates === "always",
      "atom atom.cas red sured.b sured.p cp.reduce.async.bulk.store cp.reduce.async.bulk.tensor",
    ],
    [
      "asynchronous copies",
      (t) => t.async === "copy",
      `cp.async cp.async.ignore_src cp.async.bulk.load cp.async.bulk.peer cp.async.bulk.store cp.async.bulk.tensor.load
       cp.async.bulk.tensor.store cp.reduce.async.bulk.peer cp.reduce.async.bulk.store cp.reduce.async.bulk.tensor`,
    ],
    ["asynchronous stores", (t) => t.async === "store", "st.async red.async"],
    ["asynchronous products", (t) => t.async === "product", products],
    [
      "what crosses clusters beside strong accesses",
      (t) => t.crossesClusters === true,
      "griddepcontrol tensormap.replace tensormap.replace.dimension tensormap.cp_fenceproxy",
    ],
    ["moves", (t) => t.moves === true, "mov mov.pack mov.unpack selp shfl prmt cvt"],
    ["fences of memory", (t) => t.fence === "memory", "fence membar"],
    ["fences of the asynchronous proxy", (t) => t.fence === "async", "fence.proxy.async fence.proxy.async.generic"],
    ["fences of initialised mbarriers", (t) => t.fence === "inits", "fence.mbarrier_init"],
    ["fences of tensor maps", (t) => t.fence === "maps", "fence.proxy.tensormap.acquire"],
    [
      "what overwrites memory by no access",
      (t) => t.overwrites === true,
      "tensormap.replace tensormap.replace.dimension tensormap.cp_fenceproxy discard",
    ],
    ["changes of the stack", (t) => t.stack === true, "alloca stackrestore"],
    ["ends of a launch", (t) => t.traps === true, "trap brkpt"],
  ];
  it.each(classes)("%s", (_, holds, expected) => expect([...formsWith(holds)].sort()).toEqual(names(expected)));
});

describe("traits are declared for every form that", () => {
  const has = (name: ReadFormName, part: string): boolean => {
    const { text, modifiers = {} } = readForm(name);
    return text.split(".").includes(part) || Object.values(modifiers).some((values) => values.includes(part));
  };
  it("is .aligned", () => expect(readFormNames.filter((name) => has(name, "aligned") && !readForm(name).collective)).toEqual([]));

  it("names memory", () => {
    const without = readFormNames.filter((name) => {
      const { operands, access, barrier, async } = readForm(name);
      return operands.some((o) => /^(addr|tensor)/.test(o)) && !access && !barrier && !async;
    });
    // Hints, fences, what waits for copies, tensor maps, and what asks for the size of a texture.
    const expected = `createpolicy.range prefetch prefetch.tensormap prefetchu applypriority discard cp.async.bulk.prefetch
      cp.async.bulk.prefetch.tensor fence.proxy.tensormap.acquire cp.async.mbarrier.arrive tensormap.replace
      tensormap.replace.dimension tensormap.cp_fenceproxy txq txq.level suq`;
    expect(without.sort()).toEqual(names(expected));
  });

  it("is a fence", () =>
    expect(readFormNames.filter((name) => /^(fence|membar)/.test(name) && !readForm(name).fence)).toEqual([]));

  it("is asynchronous", () => {
    const without = readFormNames.filter((name) => {
      const parts = readForm(name).text.split(".");
      return (parts.includes("async") || parts.includes("mma_async")) && !readForm(name).async;
    });
    // Hints, fences, and what closes, awaits or counts copies.
    const expected = `cp.async.bulk.prefetch cp.async.bulk.prefetch.tensor fence.proxy.async cp.async.commit_group
      cp.async.wait_group cp.async.wait_all cp.async.bulk.commit_group cp.async.bulk.wait_group cp.async.mbarrier.arrive`;
    expect(without.sort()).toEqual(names(expected));
  });
});

it("the emulator asks for traits, not for parts of the names of forms", () => {
  const emulator = join(import.meta.dirname, "../../../../src/emulator");
  const asks = /\bform\.(startsWith|endsWith|match|includes)\(|\.(test|exec)\((\w+\??\.)*form\b/;
  const files = readdirSync(emulator, { recursive: true, encoding: "utf8" }).filter((f) => f.endsWith(".ts"));
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((file) => asks.test(readFileSync(join(emulator, file), "utf8")))).toEqual([]);
});
