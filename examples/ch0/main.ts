import assert from "node:assert/strict";
import type { LogLine } from "warpsmith";
import { type Chapter, runIfMain } from "../chapter.ts";
import { hello } from "./kernel.ts";

export const chapter: Chapter = {
  name: "ch0",
  title: "hello from every thread",
  compile: () => hello.compile(100),
  async run(gpu, seed) {
    const alpha = 100 + seed;
    const lines: LogLine[] = [];
    hello.launch({ device: gpu, onLog: (line) => lines.push(line) }, alpha);
    await gpu.sync();

    const said = lines.toSorted((a, b) => a.thread[0] - b.thread[0]);
    assert.deepEqual(
      said.map((line) => line.text),
      [0, 1, 2, 3].map((t) => `GPU thread ${t} has ${alpha + t}`),
    );
    assert.deepEqual(said.map((line) => line.thread[0]), [0, 1, 2, 3]);
    return { maxAbs: 0, maxRel: 0 };
  },
};

await runIfMain(import.meta.url, chapter);
