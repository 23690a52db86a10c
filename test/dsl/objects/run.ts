// Random programs over objects, arrays, aliases, closures, exits and loops against plain JavaScript.
//
//   node --import warpsmith/register test/dsl/objects/run.ts --count 10000 --seed 1 [--device emulator|cuda|graph] [--most 5] [--refused W2050] [--few]
//
// `--few`: programs of few words, about objects with several names and new fields.
// `graph` runs what the tracer has recorded, without compiler and device. Programs that are refused with a code are counted by it; `--refused`
// shows those of one code, made small.
import { parseArgs } from "node:util";
import { openDevice } from "warpsmith";
import { programOfFewWords } from "./few-words.ts";
import { randomProgram } from "./generate.ts";
import { judge, type Run, shrink } from "./judge.ts";
import { programText } from "./program.ts";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
    device: { type: "string", default: "emulator" },
    most: { type: "string", default: "5" },
    refused: { type: "string" },
    few: { type: "boolean", default: false },
  },
});

async function runner(device: string): Promise<{ readonly run: Run; readonly close: () => Promise<void> }> {
  if (device === "graph") return { run: (await import("./run-graph.ts")).runGraph, close: async () => {} };
  // What is tried once is not worth a place on the disk.
  process.env.WARPSMITH_CACHE = "off";
  const { runOn } = await import("./run-device.ts");
  const built = (path: string): Promise<unknown> => import(new URL(`../../../dist/${path}`, import.meta.url).href);
  const { transformSource } = (await built("entries/inside.js")) as typeof import("../../../src/entries/inside.ts");
  const hooks = (await built("entries/hooks.js")) as typeof import("../../../src/dsl/hooks.ts");
  const transform = (text: string, fileName: string): string => transformSource(text, { fileName, emit: "ts" }).code;
  const gpu = await openDevice(device as Parameters<typeof openDevice>[0]);
  const run = runOn(gpu, { transform, hooks }, (text, fileName) => transformSource(text, { fileName }).code);
  return { run, close: () => gpu.dispose() };
}

const [first, count, most] = [Number(values.seed), Number(values.count), Number(values.most)];
const { run, close } = await runner(values.device);
const tally = new Map<string, number>();
let shown = 0;
let wrong = 0;
for (let seed = first; seed < first + count && shown < most; seed++) {
  const program = values.few ? programOfFewWords(seed) : randomProgram(seed);
  const verdict = await judge(program, run);
  const key = verdict.kind === "refused" ? verdict.code : verdict.kind;
  tally.set(key, (tally.get(key) ?? 0) + 1);
  const isWrong = verdict.kind === "differs" || verdict.kind === "broken";
  if (isWrong) wrong++;
  if (!isWrong && key !== values.refused) continue;
  shown++;
  const least = await shrink(program, verdict.kind, run);
  const again = await judge(least, run);
  const why = "why" in again ? again.why : "message" in again ? again.message : "";
  console.log(`\nseed ${seed}: ${verdict.kind}: ${why}\n${programText(least)}`);
}
await close();
const counted = [...tally].sort((a, b) => b[1] - a[1]).map(([key, n]) => `${key} ${n}`);
console.log(`seeds ${first} to ${first + count - 1} on ${values.device}: ${counted.join(", ")}`);
process.exitCode = wrong > 0 ? 1 : 0;
