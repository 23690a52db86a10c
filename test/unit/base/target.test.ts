import { describe, expect, test } from "vitest";
import { defaultTarget, type Target, targetOf, targets } from "../../../src/base/target.ts";
import { compile } from "../../../src/compile.ts";
import { explicit } from "../../../src/dsl/explicit.ts";
import { sharedMemory } from "../../../src/dsl/memory/index.ts";
import { entryRegisters } from "../../../src/dsl/threads/registers.ts";
import { InvariantError, opNames, opSpec, printGraph, verify } from "../../../src/ir/index.ts";
import { parseGraph } from "../../../src/ir/parse.ts";
import { sortArguments } from "../../../src/kernel/arguments.ts";
import { Instances, shapeOf } from "../../../src/kernel/instance.ts";
import { kernelSource } from "../../../src/kernel/source.ts";
import { lowerGraph } from "../../../src/lower/index.ts";
import { runPasses } from "../../../src/passes/index.ts";
import { printPtx } from "../../../src/ptx/index.ts";
import { checkLaunchShape } from "../../../src/runtime/launch-config.ts";
import { programOptions } from "../../support/program-options.ts";
import { record } from "../dsl/evaluate.ts";

/** A target that there is not: a smaller machine, with the instructions that it shares with sm_90. */
const other: Target = {
  name: "sm_91",
  computeCapability: [9, 1],
  architecture: "Nobody",
  ptxVersion: "8.10",
  has: ["sm_90"],
  limits: { ...defaultTarget.limits, threads: 512, sharedBytes: 1000, portableCluster: 2, cluster: 4, registers: 32768 },
};
const both = [...targets, other];

const kernel = (bytes: number, target = "target(sm_91) ", op = 'fence.proxy.async {space = ""}') =>
  `kernel @k() ${target}block(128, 1, 1) cluster(1, 1, 1) {\n  shared 0 "tile" bytes=${bytes} align=8\n  %0 = shared.buffer {buffer = 0} : ptr.shared\n  ${op}\n  exit\n}\n`;
const read = (text: string) => parseGraph(text, { targets: both });

describe("a second target", () => {
  test("stands in the text of a graph, and the usual one does not", () => {
    const graph = read(kernel(1000));
    expect(graph.target).toBe(other);
    expect(read(printGraph(graph))).toEqual(graph);
    expect(printGraph(graph)).toContain("kernel @k() target(sm_91) block(128, 1, 1)");
    expect(printGraph({ ...graph, target: defaultTarget })).toContain("kernel @k() block(128, 1, 1)");
    expect(() => parseGraph(kernel(1000))).toThrow(expect.objectContaining({ code: "W2900" }));
  });

  test("is the target of the PTX, whose version it knows", () => {
    const ptx = (text: string) => printPtx(lowerGraph(runPasses(read(text), { verify: true })));
    expect(ptx(kernel(1000)).split("\n").slice(0, 2)).toEqual([".version 8.10", ".target sm_91"]);
    expect(ptx(kernel(1000, "")).split("\n").slice(0, 2)).toEqual([".version 8.0", ".target sm_90a"]);
  });

  test("has shared memory of its own", () => {
    const run = (text: string) => runPasses(read(text), { verify: true });
    expect(() => run(kernel(1001))).toThrow(/1001 bytes, and a block has 1000/);
    expect(run(kernel(1001, "")).shared[0]?.offset).toBe(0);
    expect(() => run(kernel(232449, ""))).toThrow(/232449 bytes, and a block has 232448/);
  });

  test("is what tracing, passes and lowering are told", () => {
    const body = () => {
      sharedMemory.alloc("u8", [512], { align: 128 });
    };
    const of = (target: Target) =>
      compile(
        { name: "k", body, span: undefined, params: [], assemble: () => [], options: programOptions({ target }) },
        { verify: true },
      );
    expect(of(other).graph.target).toBe(other);
    expect(of(other).ptx).toMatch(/^\.version 8\.10\n\.target sm_91\n/);
    expect(of(defaultTarget).ptx).toMatch(/^\.version 8\.0\n\.target sm_90a\n/);
    expect(() => of({ ...other, limits: { ...other.limits, sharedBytes: 511 } })).toThrow(/512 bytes, and a block has 511/);
  });

  test("has compiled kernels of its own", () => {
    const source = kernelSource(
      { block: 32 },
      explicit(() => undefined),
    );
    const [instances, args, { options }] = [new Instances(source), sortArguments(source, []), shapeOf(source, [])];
    const known = instances.get(args, options);
    expect(instances.get(args, { ...options })).toBe(known);
    const made = instances.get(args, { ...options, target: other });
    expect([known, made].map(({ ptx }) => ptx.split("\n")[1])).toEqual([".target sm_90a", ".target sm_91"]);
    const narrow = { ...other, limits: { ...other.limits, threads: 16 } };
    expect(() => instances.get(args, { ...options, target: narrow })).toThrow(/W7017.* at most 16/);
  });

  test("says how many registers a thread begins with", () => {
    const registers = (target: Target) => entryRegisters(record(() => undefined, { target, block: [512, 1, 1] }));
    expect([registers(defaultTarget), registers(other)]).toEqual([128, 64]);
  });

  const shape = { grid: [12, 1, 1], block: [512, 1, 1], cluster: [1, 1, 1], sharedBytes: 1000 } as const;
  test.each([
    ["threads", { block: [513, 1, 1] }, /W7017.* at most 512/],
    ["blocks of a cluster", { cluster: [3, 1, 1] }, /W7019.* the limit is 2\./],
    ["non-portable clusters", { cluster: [6, 1, 1], nonPortableCluster: true }, /W7019.* the limit is 4 with nonPortableCluster/],
    ["shared memory", { sharedBytes: 1001 }, /W7020.* capability 9\.1 has at most 1000/],
  ] as const)("limits launches: %s", (_, change, message) => {
    checkLaunchShape(shape, other);
    checkLaunchShape({ ...shape, ...change }, defaultTarget);
    expect(() => checkLaunchShape({ ...shape, ...change }, other)).toThrow(message);
  });
});

describe("what an op needs", () => {
  const register = 'setmaxnreg {count = 64, action = "dec"}';

  test("the target has, or the graph is refused", () => {
    expect(() => verify(read(kernel(8, "", register)))).not.toThrow();
    const refused = () => verify(read(kernel(8, "target(sm_91) ", register)));
    expect(refused).toThrow(InvariantError);
    expect(refused).toThrow("'setmaxnreg' needs sm_90a, which the target sm_91 does not have");
  });

  test("ops that name nothing need sm_90", () => {
    const older: Target = { ...other, name: "sm_80", has: [] };
    const text = kernel(8).replace("sm_91", "sm_80");
    expect(() => verify(parseGraph(text, { targets: [older] }))).toThrow("'shared.buffer' needs sm_90,");
  });

  test("each target there is has what it takes for every op", () => {
    for (const { has } of targets) expect(opNames.filter((name) => !has.includes(opSpec(name).target ?? "sm_90"))).toEqual([]);
  });
});

test("devices have targets by their compute capability", () => {
  expect(targetOf([9, 0])).toBe(defaultTarget);
  expect(targetOf([9, 1])).toBeUndefined();
});
