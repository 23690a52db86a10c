import { describe, expect, it } from "vitest";
import { onSettled } from "../../../src/runtime/index.ts";
import { makeError } from "../../support/all-errors.ts";
import { launchOf } from "./launch-of.ts";
import { moduleOptions, type Opened, openFake, ptx } from "./open-fake.ts";

const kernels = {
  good: { parameterBytes: [] },
  bad: { parameterBytes: [], run: () => 700 },
};

const at = (line: number) => [{ file: "main.ts", line, column: 1, length: 1 }];

async function setUp(): Promise<
  Opened & {
    launch: (entry: keyof typeof kernels, line: number, explain?: () => ReturnType<typeof makeError> | undefined) => void;
  }
> {
  const opened = await openFake({ kernels });
  const { backend } = opened;
  return {
    ...opened,
    launch: (entry, line, explain) =>
      backend.launch(launchOf(backend, backend.loadModule(ptx, moduleOptions(entry)), { spans: at(line), explain })),
  };
}

describe("what fails on the device", () => {
  it("surfaces at the next read, with the launch's line and no CUDA name alone", async () => {
    const { device, launch } = await setUp();
    const t = device.zeros("f32", [4]);
    await t.read();
    launch("bad", 12);
    const error = await t.read().catch((e: unknown) => e);
    expect(error).toMatchObject({ code: "W8008", spans: at(12) });
    expect(String(error)).toMatch(
      /The kernel bad failed on the device: it read or wrote memory that is not its own \(CUDA_ERROR_ILLEGAL_ADDRESS\)/,
    );
  });

  it("is told once; then every call says that the device is lost, and why", async () => {
    const { device, launch } = await setUp();
    const t = device.zeros("f32", [4]);
    launch("bad", 12);
    await expect(device.sync()).rejects.toMatchObject({ code: "W8008" });
    await expect(t.read()).rejects.toMatchObject({
      code: "W8009",
      spans: at(12),
      message: expect.stringContaining("The kernel bad failed"),
    });
    expect(() => t.write([1, 2, 3, 4])).toThrow(expect.objectContaining({ code: "W8009" }));
    expect(() => launch("good", 20)).toThrow(expect.objectContaining({ code: "W8009" }));
    expect(() => device.empty("f32", [1])).toThrow(expect.objectContaining({ code: "W8009" }));
    t.dispose();
    await device.dispose();
  });

  it("names all candidates when several launches are under way, but none that a wait has covered", async () => {
    const { device, launch } = await setUp();
    launch("good", 1);
    await device.sync();
    launch("good", 2);
    launch("bad", 3);
    const error = await device.sync().catch((e: unknown) => e);
    expect(error).toMatchObject({ code: "W8008" });
    expect(String(error)).toContain("They are good (main.ts:2), bad (main.ts:3).");
  });

  it("counts the same launch in a loop as one", async () => {
    const { device, launch } = await setUp();
    for (let i = 0; i < 3000; i++) launch("good", 5);
    launch("bad", 5);
    await expect(device.sync()).rejects.toThrow(/One of the 2 kernels/);
  });

  it("prefers what the kernel itself left to say", async () => {
    const { device, launch } = await setUp();
    const said = makeError("W7021", { bytes: 1.5 }, at(99));
    launch("bad", 3, () => said);
    await expect(device.sync()).rejects.toMatchObject({ code: "W7021", spans: at(99) });
    await expect(device.sync()).rejects.toMatchObject({ code: "W8009", message: expect.stringContaining(said.sentence) });
  });

  it("is thrown by dispose when nobody has heard of it, after everything is freed", async () => {
    const { device, launch, fake } = await setUp();
    device.zeros("f32", [1000]);
    launch("bad", 12);
    await expect(device.dispose()).rejects.toMatchObject({ code: "W8008", spans: at(12) });
    expect([fake.livePinned, fake.contexts]).toEqual([0, 0]);
  });

  it("is not used up by who only looks", async () => {
    const { device, backend, launch } = await setUp();
    launch("bad", 12);
    const event = backend.createEvent.bind(backend);
    expect(event).toThrow(expect.objectContaining({ code: "W8008" }));

    const second = await setUp();
    const mark = second.backend.createEvent();
    second.fake.hold(second.stream);
    second.launch("bad", 13);
    second.backend.record(mark, second.backend.defaultStream);
    const watcher = second.backend.reached(mark).catch((e: unknown) => e);
    const sync = second.device.sync().catch((e: unknown) => e);
    second.fake.letGo(second.stream);
    expect(await watcher).toMatchObject({ code: "W8008" });
    expect(await sync).toMatchObject({ code: "W8008", spans: at(13) });
    expect(second.backend.passed(mark)).toBe(true);
    await device.dispose();
  });

  it("tells those that follow the waits, well or badly", async () => {
    const { device, launch } = await setUp();
    let told = 0;
    const stop = onSettled(device, () => {
      told++;
    });
    await device.sync();
    launch("bad", 1);
    await device.sync().catch(() => undefined);
    expect(told).toBe(2);
    stop();
    await device.dispose();
    expect(told).toBe(2);
  });

  it("a device that another process lost can be opened", async () => {
    const { launch, device } = await setUp();
    launch("bad", 1);
    await device.sync().catch(() => undefined);
    await device.dispose();
    const { device: again } = await openFake({ kernels });
    expect([...(await again.tensor("f32", [1], [5]).read())]).toEqual([5]);
  });
});

describe("waiting", () => {
  it("does not block the event loop", async () => {
    const { device, fake, stream } = await setUp();
    const t = device.tensor("f32", [2], [1, 2]);
    fake.hold(stream);
    const read = t.read();
    let done = false;
    void read.then(() => {
      done = true;
    });
    const asked = fake.countOf("cuEventQuery");
    for (let iteration = 0; iteration < 8; iteration++) await new Promise((r) => setTimeout(r, 2));
    expect(done).toBe(false);
    expect(fake.countOf("cuEventQuery")).toBeGreaterThan(asked);
    fake.letGo(stream);
    expect([...(await read)]).toEqual([1, 2]);
  });

  it("dispose waits for reads under way", async () => {
    const { device, fake, stream } = await setUp();
    const t = device.tensor("f32", [2], [1, 2]);
    fake.hold(stream);
    const read = t.read();
    const disposed = device.dispose();
    setTimeout(() => fake.letGo(stream), 5);
    expect([...(await read)]).toEqual([1, 2]);
    await disposed;
    expect(fake.livePinned).toBe(0);
  });

  it("events may be destroyed while somebody waits for them", async () => {
    const { backend, device } = await setUp();
    const event = backend.createEvent();
    backend.record(event, backend.defaultStream);
    const wait = backend.reached(event);
    backend.destroyEvent(event);
    await wait;
    await device.dispose();
  });
});
