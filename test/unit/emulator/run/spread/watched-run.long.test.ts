import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDevice } from "warpsmith";
import type { Chapter } from "../../../../../examples/chapter.ts";
import { noSpans } from "../../../../../src/base/diag/index.ts";
import { EmulatorDevice, type EmulatorOptions, registerEmulator } from "../../../../../src/emulator/index.ts";
import { hazards } from "../../../../hazards/index.ts";
import { judgePair } from "../../../../hazards/verdict.ts";
import { amount, ofProperty } from "../../../../support/amount.ts";
import { type Kernel, ptxOf } from "../../run-ptx.ts";
import { type BundledWorker, bundleWorker } from "../bundled-worker.ts";

let worker: BundledWorker;
let spread: EmulatorOptions;
beforeAll(async () => {
  worker = await bundleWorker();
  spread = { workers: worker.threads, patience: { trial: 0, rest: 0, start: 0 } };
}, 60_000);
afterAll(() => worker.remove());

/** One of several launches on a device. */
interface Step extends Pick<Kernel, "body"> {
  readonly grid: number;
  /** It may begin before the one before it has ended. */
  readonly overlaps?: boolean;
}

interface Ended {
  readonly output: string;
  readonly message: string;
  readonly printed: readonly string[];
}

const inputBytes = 4096;

/** Launches one after the other, on the same two buffers: what they leave and what is told, whatever failed. */
async function ended(steps: readonly Step[], options: EmulatorOptions): Promise<Ended> {
  const printed: string[] = [];
  const device = new EmulatorDevice({ check: "normal", print: (line) => void printed.push(line), ...options });
  const [input, output] = [device.allocate(inputBytes), device.allocate(inputBytes)];
  device.upload(
    device.defaultStream,
    input,
    Uint8Array.from({ length: inputBytes }, (_, i) => i),
  );
  let message = "";
  try {
    for (const { body, grid, overlaps } of steps) {
      const module = device.loadModule(ptxOf({ body }), {
        entry: "k",
        kernel: "k",
        parameterBytes: [8, 8],
        dynamicSharedBytes: 0,
      });
      const parameters = device.parameters(module);
      parameters.views[0]?.setBigUint64(0, input, true);
      parameters.views[1]?.setBigUint64(0, output, true);
      const dims = { grid: [grid, 1, 1], block: [32, 1, 1], cluster: [1, 1, 1] } as const;
      const stream = device.defaultStream;
      device.launch({ module, parameters, ...dims, sharedBytes: 0, stream, overlapPrevious: overlaps === true, spans: noSpans });
    }
    await device.synchronize();
  } catch (error) {
    message = error instanceof Error ? error.message : String(error);
  }
  const left = await device.download(device.defaultStream, output, inputBytes).catch(() => new Uint8Array());
  const given = await device.download(device.defaultStream, input, inputBytes).catch(() => new Uint8Array());
  await device.dispose();
  return { output: Buffer.from(left).toString("hex") + Buffer.from(given).toString("hex"), message, printed };
}

/** The same alone and with workers; gives it, and how many launches workers were given. */
async function both(steps: readonly Step[], check: "normal" | "strict" = "normal"): Promise<Ended & { readonly jobs: number }> {
  const alone = await ended(steps, { check });
  const before = worker.jobs();
  const together = await ended(steps, { check, ...spread });
  // Of what a launch before has done to the same bytes, one access or another is named.
  const briefly = (message: string): string =>
    /^W9225/.test(alone.message)
      ? message.slice(0, 5)
      : message.replace(/^ {2}(?:at least )?\d+ more: .*W9225.*$/m, "  more, and W9225");
  const told = (of: Ended): Ended => ({ ...of, message: briefly(of.message) });
  expect(told(together)).toEqual(told(alone));
  return { ...together, jobs: worker.jobs() - before };
}

/** `%d0` becomes the address of an element of `%out` or `%in`. */
const element = (buffer: string, index: string): string =>
  `mov.u32 %r1, %ctaid.x; mov.u32 %r2, %thread; ${index} mul.wide.u32 %d0, %r3, 4; add.u64 %d0, ${buffer}, %d0;`;
const own = "mad.lo.u32 %r3, %r1, 32, %r2;";
const store = (index: string, value = "%r1"): string => `${element("%out", index)} st.global.u32 [%d0], ${value};`;

describe("checked launches on worker threads", () => {
  it("leave what they leave on one, and the next one knows what has been written", async () => {
    const copy = `${element("%out", own)} ld.global.u32 %r4, [%d0]; ${element("%in", own)} st.global.u32 [%d0], %r4;`;
    const result = await both([
      { body: store(own), grid: 8 },
      { body: copy, grid: 8 },
    ]);
    expect(result.message).toBe("");
    expect(result.jobs).toBe(2);
  });

  it("tell of reads of what nobody has written", async () => {
    const { message, jobs } = await both([
      { body: `${element("%out", own)} ld.global.u32 %r4, [%d0]; st.global.u32 [%in], %r4;`, grid: 4 },
    ]);
    expect(message).toMatch(/W9209/);
    expect(jobs).toBe(1);
  });

  it("tell of races between blocks of two threads", async () => {
    const same = "mov.u32 %r3, %r2;";
    expect((await both([{ body: store(same), grid: 8 }])).message).toMatch(/W9201/);
    const reads = `${store(own)} ${element("%in", same)} ld.global.u32 %r5, [%d0]; setp.ne.u32 %p0, %r1, 6; @%p0 bra done; st.global.u32 [%d0], 7; done:`;
    expect((await both([{ body: reads, grid: 8 }])).message).toMatch(/W9201/);
  });

  it("tell of what goes wrong within a block", async () => {
    const shared = `st.shared.u32 [smem], %thread; ${store(own)}`;
    expect((await both([{ body: shared.replace("smem", "smem+2048"), grid: 4 }])).message).not.toBe("");
    expect((await both([{ body: `${store(own)} setp.eq.u32 %p1, %r1, 3; @%p1 trap;`, grid: 8 }])).message).toMatch(/W9003/);
  });

  it("are there for a launch that may overlap them", async () => {
    const before: Step = { body: store(own), grid: 8 };
    const reads = `${element("%out", own)} ld.global.u32 %r4, [%d0]; ${element("%in", own)} st.global.u32 [%d0], %r4;`;
    const racing = await both([before, { body: reads, grid: 8, overlaps: true }]);
    expect(racing.message).toMatch(/W9225/);
    expect(racing.jobs).toBe(1);
    const waits = await both([before, { body: `griddepcontrol.wait; ${reads}`, grid: 8, overlaps: true }]);
    expect(waits.message).toBe("");
  });

  it("are those whose blocks tell each other nothing", async () => {
    const counts = "red.global.add.u32 [%out], 1;";
    expect((await both([{ body: counts, grid: 8 }])).jobs).toBe(0);
    expect((await both([{ body: store(own), grid: 8 }], "strict")).jobs).toBe(1);
  });
});

it("random kernels leave and tell the same on worker threads", async () => {
  const index = fc.oneof(
    { weight: 6, arbitrary: fc.constant(own) },
    fc.constant("mad.lo.u32 %r3, %r1, 32, %r2; add.u32 %r3, %r3, 16;"),
    fc.constant("mad.lo.u32 %r3, %r2, 8, %r1;"),
    fc.constant("mov.u32 %r3, %r2;"),
    fc.constant("sub.u32 %r3, 511, %r2; mul.lo.u32 %r4, %r1, 33; sub.u32 %r3, %r3, %r4;"),
    fc.constant("and.b32 %r3, %r1, 6; mad.lo.u32 %r3, %r3, 32, %r2;"),
  );
  const access = fc.record({
    index,
    buffer: fc.constantFrom("%in", "%out"),
    does: fc.constantFrom(
      "ld.global.u32 %r6, [%d0];",
      "ld.global.u16 %r6, [%d0];",
      "st.global.u32 [%d0], %r6;",
      "st.global.u32 [%d0], 5;",
      "st.global.u8 [%d0], %r2;",
    ),
    when: fc.constantFrom("", "", "setp.ne.u32 %p0, %r1, 5; @%p0", "setp.lt.u32 %p0, %r2, 9; @%p0"),
  });
  const kernel = fc.record({
    accesses: fc.array(access, { minLength: 1, maxLength: 4 }),
    grid: fc.integer({ min: 2, max: 12 }),
    overlaps: fc.boolean(),
  });
  let [jobs, silent] = [0, 0];
  await fc.assert(
    fc.asyncProperty(fc.array(kernel, { minLength: 1, maxLength: 3 }), async (kernels) => {
      const steps = kernels.map(({ accesses, grid, overlaps }): Step => {
        const body = accesses.map(({ index, buffer, does, when }) => `${element(buffer, index)} ${when} ${does}`).join("\n");
        return { body: `mov.u32 %r6, %thread;\n${body}`, grid, overlaps };
      });
      const result = await both(steps);
      jobs += result.jobs;
      if (result.message === "") silent += 1;
    }),
    ofProperty(200, 20),
  );
  expect(jobs).toBeGreaterThan(amount(100, 10));
  expect(silent).toBeGreaterThan(0);
}, 600_000);

describe("with workers under checks", () => {
  let takeBack: () => void;
  beforeAll(() => {
    takeBack = registerEmulator(spread);
  });
  afterAll(() => takeBack());

  it.each(["ch1", "ch2", "ch4", "ch5"])(
    "chapter %s is right",
    async (name) => {
      const { chapter } = (await import(join(import.meta.dirname, "../../../../../examples", name, "main.ts"))) as {
        chapter: Chapter;
      };
      await using device = await openDevice("emulator", { check: "normal" });
      const before = worker.jobs();
      await chapter.run(device, 0);
      expect(worker.jobs()).toBe(before + 1);
    },
    60_000,
  );

  it.each(hazards.map((h) => [h.name, h] as const))(
    "the hazards of %s are told as they are alone",
    async (_, hazard) => {
      const settings = [
        { check: "normal", schedule: "eager" },
        { check: "strict", schedule: "eager" },
      ] as const;
      expect(await judgePair(hazard, settings)).toEqual([]);
    },
    60_000,
  );
});
