import { type Device, TMA } from "warpsmith";
import { assertClose, randn } from "warpsmith/testing";
import { type Lesson, type LessonCase, sized } from "../../lesson.ts";
import { add, addArgs } from "./add.ts";
import { BLOCK, memcpyTma } from "./kernel.ts";
import { LENGTH, message } from "./message.ts";
import { orders } from "./orders.ts";

const exact = { rtol: 0, atol: 0 };

const copy = (n: number): LessonCase => ({
  kernel: "memcpyTma",
  parameters: `block=${BLOCK} n=${n}`,
  tolerance: "exact",
  async run(gpu) {
    const data = randn(n), box = [BLOCK] as const;
    using input = gpu.tensor("f32", [n], data), output = gpu.zeros("f32", [n]);
    memcpyTma.launch({}, new TMA(input, { box }), new TMA(output, { box }));
    assertClose(await output.read(), data, exact);
  },
});

/** `early`: the flag is raised too early. */
export async function sendMessage(gpu: Device, early: boolean): Promise<void> {
  const text = randn(LENGTH), box = [LENGTH] as const;
  using from = gpu.tensor("f32", [LENGTH], text), mailbox = gpu.zeros("f32", [LENGTH]), to = gpu.zeros("f32", [LENGTH]);
  using flag = gpu.zeros("u32", [1]);
  message.launch({}, new TMA(from, { box }), new TMA(mailbox, { box }), flag, new TMA(to, { box }), early);
  assertClose(await to.read(), text, exact);
}

const sum = (buffers: number) => ([m, n]: readonly [number, number]): LessonCase => ({
  kernel: "add",
  parameters: `32×64, ${buffers} buffers, ${m}×${n}`,
  tolerance: "exact",
  async run(gpu) {
    const x = randn(m * n, 1), y = randn(m * n, 2);
    using a = gpu.tensor("f32", [m, n], x), b = gpu.tensor("f32", [m, n], y), c = gpu.zeros("f32", [m, n]);
    c.fill(Number.NaN);
    add.launch({}, ...addArgs(a, b, c, { tile: [32, 64], buffers }));
    assertClose(await c.read(), x.map((v, i) => v + y[i]), exact);
  },
});

export const lesson: Lesson = {
  name: "04-tma",
  cases: [
    copy(40),
    copy(500),
    ...orders.map(({ name, run }): LessonCase => ({ kernel: name, parameters: "fenced", tolerance: "exact", run: (gpu) => run(gpu, true) })),
    { kernel: "message", parameters: `n=${LENGTH}`, tolerance: "exact", run: (gpu) => sendMessage(gpu, false) },
    ...[1, 2, 3].flatMap((buffers) => [sized(sum(buffers), [1000, 2000], [72, 400]), sized(sum(buffers), [4000, 120], [200, 120])]),
  ],
};
