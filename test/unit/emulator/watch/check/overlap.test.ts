import { describe, expect, it } from "vitest";
import { noSpans, WarpsmithError } from "../../../../../src/base/diag/index.ts";
import { EmulatorDevice } from "../../../../../src/emulator/index.ts";
import type { BackendStream } from "../../../../../src/runtime/backend.ts";
import { ptxOf } from "../../run-ptx.ts";

const bytes = 128;

/** Kernels of one warp on a device with buffers of a word per thread; `%in` and `%out` are buffers by number. */
function machine(check: "normal" | "strict" = "normal") {
  const device = new EmulatorDevice({ check });
  const stream = device.defaultStream;
  const buffers = [0, 1, 2, 3].map(() => device.allocate(bytes));
  for (const buffer of buffers) device.upload(stream, buffer, new Uint8Array(bytes));
  const launch = (body: string, from: number, to: number, rest: { overlap?: boolean; stream?: BackendStream } = {}): void => {
    const ptx = ptxOf({ body: `mul.wide.u32 %d3, %tid, 4; add.u64 %d1, %in, %d3; add.u64 %d2, %out, %d3;\n${body}` });
    const module = device.loadModule(ptx, { entry: "k", kernel: "k", parameterBytes: [8, 8], dynamicSharedBytes: 0 });
    const parameters = device.parameters(module);
    for (const [i, buffer] of [from, to].entries()) parameters.views[i]?.setBigUint64(0, buffers[buffer] ?? 0n, true);
    const one = [1, 1, 1] as const;
    const shape = { grid: one, block: [32, 1, 1], cluster: one, sharedBytes: 0 } as const;
    const { overlap = true, stream: other = stream } = rest;
    device.launch({ module, parameters, ...shape, stream: other, overlapPrevious: overlap, spans: noSpans });
  };
  return { device, stream, buffers, launch };
}
type Machine = ReturnType<typeof machine>;

/** The codes of all that is reported. */
async function reported(run: (m: Machine) => void | Promise<void>, check?: "normal" | "strict"): Promise<string> {
  const m = machine(check);
  try {
    await run(m);
    await m.device.synchronize();
    return "silent";
  } catch (error) {
    if (!(error instanceof WarpsmithError)) throw error;
    return error.code;
  } finally {
    await m.device.dispose();
  }
}

const write = "st.global.u32 [%d2], %tid;";
const read = "ld.global.u32 %r1, [%d1];";
const wait = "griddepcontrol.wait;";
const begin = "griddepcontrol.launch_dependents;";

/** The first writes buffer 1, the second reads it with no wait before. */
const early =
  (first: string, second = `${read} ${wait}`) =>
  ({ launch }: Machine): void => {
    launch(first, 0, 1, { overlap: false });
    launch(second, 1, 2);
  };

describe.each(["normal", "strict"] as const)("%s: a launch that overlaps the one before", (check) => {
  it.each([
    ["reads what that one writes", early(write)],
    ["adds to what that one writes", early(write, `red.global.add.u32 [%d1], 1; ${wait}`)],
    ["reads what that one adds to", early("red.global.add.u32 [%d2], 1;")],
    ["writes what that one reads", early(`ld.global.u32 %r1, [%d2];`, `st.global.u32 [%d1], 1; ${wait}`)],
    ["reads what was released within the block alone", early(`${write} fence.acq_rel.cta; ${begin}`)],
    ["reads what was released after it could begin", early(`${write} ${begin} fence.acq_rel.gpu;`)],
  ])("%s", async (_, run) => expect(await reported(run, check)).toBe("W9225"));

  it.each([
    ["waits for it", early(write, `${wait} ${read}`)],
    ["reads as that one does", early("ld.global.u32 %r1, [%d2];")],
    ["adds as that one does", early("red.global.add.u32 [%d2], 1;", `red.global.add.u32 [%d1], 1; ${wait}`)],
    ["reads what was released before it could begin", early(`${write} bar.warp.sync -1; fence.acq_rel.gpu; ${begin}`)],
    ["writes bytes beside those that it writes", early("st.global.u8 [%d2], %tid;", `st.global.u8 [%d1+1], 1; ${wait}`)],
  ])("%s: nothing to say", async (_, run) => expect(await reported(run, check)).toBe("silent"));
});

/** The first call of a block counts: of the lanes of one instruction, one. */
it("what each lane releases by itself: strictly, one of them lets the next launch begin", async () => {
  const run = early(`${write} fence.acq_rel.gpu; ${begin}`);
  expect([await reported(run, "normal"), await reported(run, "strict")]).toEqual(["silent", "W9225"]);
});

describe("what keeps launches apart", () => {
  const pair = (between: (m: Machine) => void | Promise<void>, second = {}) =>
    reported(async (m) => {
      m.launch(write, 0, 1, { overlap: false });
      await between(m);
      m.launch(`${read} ${wait}`, 1, 2, second);
    });
  it("a launch without the attribute", async () => expect(await pair(() => {}, { overlap: false })).toBe("silent"));
  it("the host, which has waited for the device", async () => expect(await pair((m) => m.device.synchronize())).toBe("silent"));
  it("the host, which has read", async () =>
    expect(await pair(async (m) => void (await m.device.download(m.stream, m.buffers[1] ?? 0n, 4)))).toBe("silent"));
  it("not the host, which has waited for another stream", async () =>
    expect(await pair((m) => m.device.synchronize(m.device.createStream()))).toBe("W9225"));
  it("the host, which has waited for a stream that follows", async () =>
    expect(
      await pair((m) => {
        const other = m.device.createStream();
        m.device.orderAfter(other, m.stream);
        return m.device.synchronize(other);
      }),
    ).toBe("silent"));
  it("another stream has launches of its own to overlap", async () =>
    expect(
      await reported((m) => {
        const other = m.device.createStream();
        m.launch(write, 0, 1, { overlap: false });
        m.device.orderAfter(other, m.stream);
        m.launch(`${read} ${wait}`, 1, 2, { stream: other });
      }),
    ).toBe("silent"));
});

describe("graphs", () => {
  const graphOf = (m: Machine, bodies: readonly (readonly [string, number, number])[]) =>
    m.device.capture((stream) => {
      for (const [body, from, to] of bodies) m.launch(body, from, to, { stream });
    });
  it("launches of one overlap each other", async () =>
    expect(
      await reported((m) =>
        m.device.launchGraph(
          graphOf(m, [
            [write, 0, 1],
            [`${read} ${wait}`, 1, 2],
          ]),
          m.stream,
        ),
      ),
    ).toBe("W9225"));
  it("as a whole it overlaps nothing", async () =>
    expect(
      await reported((m) => {
        m.launch(write, 0, 1);
        m.device.launchGraph(graphOf(m, [[`${read} ${wait} st.global.u32 [%d2], 1;`, 1, 2]]), m.stream);
        m.launch(`${read} ${wait}`, 2, 3);
      }),
    ).toBe("silent"));
});

describe("more launches than two", () => {
  const three = (second: string, third: string, overlap = true) =>
    reported(({ launch }) => {
      launch(write, 0, 1, { overlap: false });
      launch(second, 0, 2);
      launch(third, 1, 3, { overlap });
    });
  it("the third may overlap the first, where the second lets it begin before its own wait", async () =>
    expect(await three(`${begin} ${wait}`, `${read} ${wait}`)).toBe("W9225"));
  it("but not where the second waits first", async () =>
    expect(await three(`${wait} ${begin}`, `${read} ${wait}`)).toBe("silent"));
  it("nor where the second waits, and its end lets the third begin", async () =>
    expect(await three(wait, `${read} ${wait}`)).toBe("silent"));
  it("its wait covers the first, for which the second has waited", async () =>
    expect(await three(`${begin} ${wait}`, `${wait} ${read}`)).toBe("silent"));
  it("nothing covers the first, where the second has not waited for it", async () => {
    expect(await three(begin, `${wait} ${read}`)).toBe("W9225");
    expect(await three(begin, read, false)).toBe("W9225");
  });
});

it("names both kernels, and the place in the other one", async () => {
  const { device, launch } = machine();
  launch(`\n\n${write}`, 0, 1, { overlap: false });
  launch(`${read} ${wait}`, 1, 2);
  const error = await device.synchronize().then(
    () => undefined,
    (e: unknown) => e,
  );
  expect(error).toBeInstanceOf(WarpsmithError);
  const { sentence, spans } = error as WarpsmithError;
  expect(sentence).toMatch(/^this memory .* in k: thread \d+ .* reads .*; k, launched before, writes there\.$/i);
  expect(spans.map((span) => span.line)).toHaveLength(2);
  expect((spans[1]?.line ?? 0) - (spans[0]?.line ?? 0)).toBe(2);
});
