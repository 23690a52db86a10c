import { format } from "node:util";
import type { bool, Device, DType, f16, f32, f64, i32, i64, LogLine, Tensor, u32, u64 } from "warpsmith";
import { assert, blockIdx, kernel, range, threadIdx, WarpsmithError } from "warpsmith";
import type { AnyKernel, Case } from "./case.ts";

/** A kernel whose lines are compared, in any order. */
function logCase(name: string, made: AnyKernel, grid: number, args: readonly unknown[], expected: readonly string[]): Case {
  return {
    name,
    compile: () => made.compile(...(args as never[])),
    async run(gpu: Device) {
      const lines: LogLine[] = [];
      made.launch({ grid, device: gpu, onLog: (line) => void lines.push(line) }, ...(args as never[]));
      await gpu.sync();
      const found = lines.map((line) => `${line.text} @${line.block.join()}/${line.thread.join()}`).sort();
      const wanted = [...expected].sort();
      const wrong = wanted.findIndex((text, i) => text !== found[i]);
      if (wrong >= 0 || found.length !== wanted.length)
        throw new Error(
          `${found.length} lines instead of ${wanted.length}; ${JSON.stringify(found[wrong])} instead of ${JSON.stringify(wanted[wrong])}`,
        );
      if (!lines.every((line) => line.span.file.endsWith("logs-asserts.ts") && line.span.line > 1))
        throw new Error("a line without its place");
    },
  };
}

const everyThread = kernel({ block: [4, 2] }, function everyThread(n: i32) {
  const i = threadIdx.x + threadIdx.y * 4;
  if (i % 2 === 0) console.log("thread", i, "of", n, i > 3);
  for (const k of range(blockIdx.x)) console.log(`${i}: ${k}`);
});

const types = kernel({ block: 1 }, function types(n: i32, x: f32, big: i64, huge: u64, on: bool, h: f16, d: f64, w: u32) {
  console.log(n, x, big, huge, on, h, d, w);
  console.log(`${n} ${x} ${big} ${huge} ${on} ${h} ${d} ${w}`);
  console.log("%d percent and %s", n, x, "rest");
  console.log({ n, list: [big], name: "none" });
  console.log("nothing staged", 3, { a: 1 });
  console.log();
  console.log(x * 0, `${x * 0}`, 1 / (x * 0));
});

const many = kernel({ block: 128 }, function many() {
  const i = blockIdx.x * 128 + threadIdx.x;
  if (i % 64 === 5) console.log(i);
});

function typeLines(): string[] {
  const [n, x, big, huge, on, h, d, w] = [
    -7,
    Math.fround(-0.1),
    -(2n ** 40n),
    2n ** 63n,
    true,
    0.0999755859375,
    1 / 3,
    4000000000,
  ] as const;
  return [
    format(n, x, big, huge, on, h, d, w),
    `${n} ${x} ${big} ${huge} ${on} ${h} ${d} ${w}`,
    format("%d percent and %s", n, x, "rest"),
    format({ n, list: [big], name: "none" }),
    format("nothing staged", 3, { a: 1 }),
    "",
    format(-0, `${-0}`, Number.NEGATIVE_INFINITY),
  ].map((text) => `${text} @0,0,0/0,0,0`);
}

function logCases(): Case[] {
  const threads = [0, 1].flatMap((y) => [0, 1, 2, 3].map((x) => ({ x, y, i: x + 4 * y })));
  const everyLine = [0, 1, 2].flatMap((b) =>
    threads.flatMap(({ x, y, i }) => {
      const where = `@${b},0,0/${x},${y},0`;
      const iterations = Array.from({ length: b }, (_, k) => `${i}: ${k} ${where}`);
      return i % 2 === 0 ? [`thread ${i} of 9 ${i > 3} ${where}`, ...iterations] : iterations;
    }),
  );
  const args = [-7, Math.fround(-0.1), -(2n ** 40n), 2n ** 63n, true, 0.1, 1 / 3, 4000000000];
  return [
    logCase("log/everyThread", everyThread, 3, [9], everyLine),
    logCase("log/types", types, 1, args, typeLines()),
    logCase(
      "log/many",
      many,
      64,
      [],
      Array.from({ length: 128 }, (_, k) => k * 64 + 5).map((i) => `${i} @${i >> 7},0,0/${i & 127},0,0`),
    ),
  ];
}

const refuses = kernel({ block: 32, debug: true }, function refuses(x: Tensor<"i32", 1>) {
  const i = blockIdx.x * 32 + threadIdx.x;
  assert(x[i]! !== 77, "no element is 77");
});
const holds = kernel({ block: 32, debug: true }, function holds(x: Tensor<"i32", 1>) {
  const i = blockIdx.x * 32 + threadIdx.x;
  assert(x[i]! >= 0 && i < 64, "elements are not negative");
  assert(true);
  x[i] = x[i]! + 1;
});
/** Without `debug` an assertion costs nothing and says nothing. */
const ignored = kernel({ block: 32, debug: false }, function ignored(x: Tensor<"i32", 1>) {
  assert(x[threadIdx.x]! === -1, "never");
  x[threadIdx.x] = 5;
});

const data = Array.from({ length: 64 }, (_, i) => (i === 42 ? 77 : i));
const spec = (n: number) => ({ dtype: "i32" as DType as "i32", rank: 1 as const, shape: [n] as const, strides: [1] as const });

function assertCases(): Case[] {
  return [
    {
      name: "assert/holds",
      compile: () => holds.compile(spec(64)),
      async run(gpu) {
        using x = gpu.tensor("i32", [64], data);
        holds.launch({ grid: 2 }, x);
        const found = await x.read();
        if (data.some((v, i) => found[i] !== v + 1)) throw new Error("the kernel did not run to its end");
      },
    },
    {
      name: "assert/ignored",
      compile: () => ignored.compile(spec(32)),
      async run(gpu) {
        using x = gpu.zeros("i32", [32]);
        ignored.launch({ grid: 1 }, x);
        if ((await x.read()).some((v) => v !== 5)) throw new Error("the kernel did not run to its end");
      },
    },
    {
      name: "assert/traps",
      losesDevice: true,
      compile: () => refuses.compile(spec(64)),
      async run(gpu) {
        const x = gpu.tensor("i32", [64], data);
        refuses.launch({ grid: 2 }, x);
        const error = await gpu.sync().then(
          () => undefined,
          (e: unknown) => e,
        );
        if (!(error instanceof WarpsmithError)) throw new Error(`no error of the package: ${String(error)}`);
        const { message, spans } = error;
        if (!/no element is 77/.test(message) || !/thread 10 of block \(1, 0, 0\)/.test(message))
          throw new Error(`says: ${message}`);
        if (!spans[0]?.file.endsWith("logs-asserts.ts")) throw new Error(`stands at ${JSON.stringify(spans[0])}`);
      },
    },
  ];
}

export const logCasesAndAsserts: readonly Case[] = [...logCases(), ...assertCases()];
