import { describe, expect, it } from "vitest";
import { kernel, type Static, type Tensor } from "warpsmith";
import { loadPtx } from "warpsmith/ptx";
import type { LoadedModule, ModuleOptions } from "../../../src/runtime/index.ts";
import { createModuleCache } from "../../../src/runtime/module-cache.ts";
import { collectGarbage, collectUntil } from "../../support/collect-garbage.ts";
import { launchOf } from "../cuda/launch-of.ts";
import { moduleOptions, openFake, ptx } from "../cuda/open-fake.ts";

const oneKernel = { k: { parameterBytes: [] } };
const options = moduleOptions("k");

/** Collects garbage until something that nobody has held since is gone, and lets those know who are told. */
async function allIsCollected(): Promise<void> {
  const dropped = (() => new WeakRef({}))();
  await collectUntil(() => dropped.deref() === undefined);
  await collectGarbage();
}

/** What leaves a device when nobody holds it. All of them wait for the same few collections. */
describe.concurrent("what nobody holds", () => {
  it("a module of a device: it is loaded once as long as somebody has it, unloaded once when nobody does, and then loaded again", async () => {
    const moduleOf: ModuleOptions = { entry: "k", kernel: "k", parameterBytes: [8], dynamicSharedBytes: 0 };
    const [loaded, unloaded]: [string[], string[]] = [[], []];
    const unloading = (text: string) => () => void unloaded.push(text);
    const cache = createModuleCache((text) => {
      loaded.push(text);
      return { module: { kernel: text } as LoadedModule, unload: unloading(text) };
    });
    const kept = cache.load("kept", moduleOf);
    for (let i = 0; i < 3; i++) cache.load("dropped", moduleOf);
    await collectUntil(() => unloaded.length > 0);
    expect(unloaded).toEqual(["dropped"]);
    expect(cache.load("kept", { ...moduleOf })).toBe(kept);
    const again = cache.load("dropped", moduleOf);
    expect(loaded).toEqual(["kept", "dropped", "dropped"]);
    cache.clear();
    cache.clear();
    expect(unloaded).toEqual(["dropped", "kept", "dropped"]);
    expect(cache.load("kept", moduleOf)).not.toBe(kept);
    expect(again.kernel).toBe("dropped");
  });

  it("a module that has been launched, when all that was under way has ended", async () => {
    const { backend, fake } = await openFake({ kernels: oneKernel });
    const other = backend.createStream();
    const kept = backend.loadModule(ptx, options);
    const launched = (): void => backend.launch(launchOf(backend, backend.loadModule(`${ptx} `, options)));
    launched();
    fake.hold(other.native ?? 0n);
    await backend.synchronize(backend.defaultStream);
    await allIsCollected();
    expect(fake.countOf("cuModuleUnload")).toBe(0);
    fake.letGo(other.native ?? 0n);
    await collectUntil(() => fake.countOf("cuModuleUnload") > 0);
    expect(backend.loadModule(ptx, options)).toBe(kept);
    launched();
    expect(fake.countOf("cuModuleLoadDataEx")).toBe(3);
    await backend.dispose();
    expect(fake.countOf("cuModuleUnload")).toBe(3);
  });

  it("a module whose launch may be under way stays", async () => {
    const { backend, fake, stream } = await openFake({ kernels: oneKernel });
    fake.hold(stream);
    backend.launch(launchOf(backend, backend.loadModule(ptx, options)));
    await allIsCollected();
    fake.letGo(stream);
    expect(fake.countOf("cuModuleUnload")).toBe(0);
    await backend.synchronize();
    await collectUntil(() => fake.countOf("cuModuleUnload") > 0);
    await backend.dispose();
    expect(fake.countOf("cuModuleUnload")).toBe(1);
  });

  it("PTX of other compilers, of which a kernel or a variable is somebody's", async () => {
    const text = `.version 8.4
.target sm_90a
.address_size 64
.global .align 4 .u32 counter;
.visible .entry k() { ret; }
`;
    const { device, backend, fake } = await openFake({ kernels: oneKernel, variables: { counter: new Uint8Array(4) } });
    const kernelOf = () => backend.loadImage(text, "k.ptx").kernel(options);
    const variableOf = () => loadPtx(text).variable("counter", { device, dtype: "u32" });
    const held = [kernelOf(), variableOf()];
    (() => void backend.loadImage(text, "k.ptx"))();
    await collectUntil(() => fake.countOf("cuModuleUnload") > 0);
    await allIsCollected();
    expect(fake.countOf("cuModuleLoadDataEx") - fake.countOf("cuModuleUnload")).toBe(held.length);
    await device.dispose();
    expect(fake.countOf("cuModuleUnload")).toBe(3);
  });

  const makeStore = () =>
    kernel({ block: 1, grid: 1 }, function store(x: Tensor<"i32", 1>, value: Static<number>) {
      x[0] = value;
    });

  it("compiled kernels leave the device with their kernel and its arguments", async () => {
    const { device, fake } = await openFake({ kernels: { store: { parameterBytes: [8] } } });
    const x = device.zeros("i32", [1]);
    const use = (): void => makeStore().launch({}, x, 7);
    use();
    await device.sync();
    await collectUntil(() => fake.countOf("cuModuleUnload") === 1);
    await device.dispose();
  });

  it("so many compiled kernels of a kernel are on a device, whatever number of them is launched", async () => {
    const most = 256;
    const { device, fake } = await openFake({ kernels: { store: { parameterBytes: [8] } } });
    const [store, x] = [makeStore(), device.zeros("i32", [1])];
    for (let value = 0; value <= most; value++) store.launch({}, x, value);
    await device.sync();
    const loads = () => fake.countOf("cuModuleLoadDataEx");
    expect(loads()).toBe(most + 1);
    store.launch({}, x, 1);
    expect(loads()).toBe(most + 1);
    await collectUntil(() => fake.countOf("cuModuleUnload") === 1);
    store.launch({}, x, 0);
    expect(loads()).toBe(most + 2);
    await device.dispose();
    expect(fake.countOf("cuModuleUnload")).toBe(most + 2);
  });
});
