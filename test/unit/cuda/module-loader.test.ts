import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { moduleOptions, openFake, ptx } from "./open-fake.ts";

const kernels = { k: { parameterBytes: [], registers: 168, localBytes: 16 } };
const options = moduleOptions("k");
const code = (expected: string) => expect.objectContaining({ code: expected });

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "warpsmith-test-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe("modules", () => {
  it("are loaded once per PTX and options", async () => {
    const { backend, fake } = await openFake({ kernels });
    const module = backend.loadModule(ptx, options);
    expect(backend.loadModule(ptx, { ...options })).toBe(module);
    expect(backend.loadModule(ptx, { ...options, dynamicSharedBytes: 4096 })).not.toBe(module);
    expect(backend.loadModule(`${ptx} `, options)).not.toBe(module);
    expect(fake.countOf("cuModuleLoadDataEx")).toBe(3);
    expect(module).toMatchObject({ registers: 168, spillBytes: 16, maxThreads: 1024 });
    await backend.dispose();
    expect(fake.countOf("cuModuleUnload")).toBe(3);
  });

  it("have what the assembler said of them", async () => {
    const { backend, fake } = await openFake({ kernels });
    fake.jitInfo = "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized";
    expect(backend.loadModule(ptx, options).assemblerLog).toBe(fake.jitInfo);
    fake.jitInfo = "";
    expect(backend.loadModule(`${ptx} `, options).assemblerLog).toBe("");
  });

  it("bring the assembler's log when it refuses, and are tried again next time", async () => {
    const { backend, fake } = await openFake({ kernels });
    fake.jitLog = "ptxas application ptx input, line 3; error : Unknown symbol 'r9'";
    const bad = { ...options, kernel: "gemm" };
    expect(() => backend.loadModule("nonsense", bad)).toThrow(
      /The PTX of gemm was refused: .*does not accept it \(CUDA_ERROR_INVALID_PTX\)\.\n {2}ptxas application ptx input, line 3; error/,
    );
    expect(() => backend.loadModule("nonsense", bad)).toThrow(code("W8006"));
    expect(fake.livePinned).toBe(0);
  });

  it("are refused without their entry, and not left behind", async () => {
    const { backend, fake } = await openFake({ kernels });
    expect(() => backend.loadModule(ptx, moduleOptions("other"))).toThrow(code("W8006"));
    expect(fake.countOf("cuModuleUnload")).toBe(1);
  });

  /** A ptxas of our own making. */
  const script = (name: string, body: string, version = "release 12.4"): string => {
    const path = join(directory, name);
    writeFileSync(
      path,
      `#!/bin/sh\nif [ "$1" = --version ]; then echo "${version}"; exit 0; fi\necho run >> ${path}.runs\n${body}\n`,
    );
    chmodSync(path, 0o755);
    return path;
  };
  const runsOf = (path: string): number =>
    existsSync(`${path}.runs`) ? readFileSync(`${path}.runs`, "utf8").split("\n").length - 1 : 0;
  const makes = 'printf "CUBIN %s" "$1" > "$4"';

  it("are assembled by the ptxas that is named", async () => {
    const good = script("good", makes);
    const { backend, fake } = await openFake({ kernels }, { ptxas: good });
    backend.loadModule(ptx, options);
    const image = fake.calls.find((c) => c.name === "cuModuleLoadDataEx")?.args[1] as Uint8Array;
    expect(Buffer.from(image).toString()).toBe("CUBIN -arch=sm_90a");

    const bad = script("bad", 'echo "line 9: no such thing" >&2; exit 255', "x");
    const other = await openFake({ kernels }, { ptxas: bad });
    expect(() => other.backend.loadModule(ptx, options)).toThrow(/no such thing/);
    await expect(openFake({ kernels }, { ptxas: join(directory, "missing") })).rejects.toMatchObject({ code: "W8011" });
  });

  it("come out of the disk cache without ptxas; another ptxas makes them anew, and so does an image that the driver refuses", async () => {
    const cache = join(directory, "cache");
    const ptxas = script("one", makes);
    for (let i = 0; i < 2; i++) (await openFake({ kernels }, { cache, ptxas })).backend.loadModule(ptx, options);
    expect(runsOf(ptxas)).toBe(1);
    const newer = script("two", makes, "release 13.0");
    (await openFake({ kernels }, { cache, ptxas: newer })).backend.loadModule(ptx, options);
    expect(runsOf(newer)).toBe(1);
    const picky = await openFake({ kernels }, { cache, ptxas });
    picky.fake.refuse.set("cuModuleLoadDataEx", [200]);
    picky.backend.loadModule(ptx, options);
    expect([runsOf(ptxas), picky.fake.countOf("cuModuleLoadDataEx")]).toEqual([2, 2]);
  });
});

describe("memory", () => {
  it("says how much there is when there is too little", async () => {
    const { device, fake } = await openFake({ memoryBytes: 1000 });
    device.empty("u8", [600]);
    expect(() => device.empty("u8", [600])).toThrow(/Fake H200 has no room for 600 more bytes: 400 of its 1000 are free/);
    expect(fake.liveBytes).toBe(600);
  });

  it("is freed in the order of the stream, without blocking calls", async () => {
    const { device, fake, stream } = await openFake();
    const t = device.zeros("f32", [4]);
    fake.hold(stream);
    t.dispose();
    expect(fake.liveBytes).toBe(16);
    fake.letGo(stream);
    expect(fake.liveBytes).toBe(0);
    expect(fake.countOf("cuMemFree_v2")).toBe(0);
  });

  it("works on drivers without pools", async () => {
    const { device, fake } = await openFake({ pools: false });
    const t = device.tensor("f32", [1], [7]);
    expect([...(await t.read())]).toEqual([7]);
    t.dispose();
    expect([fake.countOf("cuMemAlloc_v2"), fake.countOf("cuMemFree_v2"), fake.countOf("cuMemAllocAsync")]).toEqual([1, 1, 0]);
  });

  it("reuses the host's staging buffers", async () => {
    const { device, fake } = await openFake();
    const t = device.empty("f32", [1000]);
    for (let i = 0; i < 50; i++) t.write(new Float32Array(1000).fill(i));
    expect((await t.read())[999]).toBe(49);
    expect(fake.countOf("cuMemHostAlloc")).toBeLessThanOrEqual(2);
  });

  it("of the host is zero and can be reached by kernels", async () => {
    const { backend, fake } = await openFake();
    const mapped = backend.mapped(64);
    expect([...mapped.bytes]).toEqual(new Array(64).fill(0));
    fake.memoryAt(mapped.address, 64)[5] = 9;
    expect(mapped.bytes[5]).toBe(9);
    mapped.free();
    mapped.free();
    expect(fake.livePinned).toBe(0);
  });

  it("fills patterns with the narrowest call", async () => {
    const { device, fake } = await openFake();
    device.empty("f64", [4]).fill(0);
    device.empty("u32", [4]).fill(0x00010001);
    device.empty("f32", [4]).fill(1.1);
    device.empty("f64", [4]).fill(1.1);
    const count = (["cuMemsetD8Async", "cuMemsetD16Async", "cuMemsetD32Async", "cuMemcpyHtoDAsync_v2"] as const).map((n) =>
      fake.countOf(n),
    );
    expect(count).toEqual([1, 1, 1, 1]);
  });
});
