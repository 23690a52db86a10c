/** A program through transform and tracer, its op graph run by the interpreter of the tests. */
import { interpret } from "../../support/ir-interpreter.ts";
import { runModule, traceSource } from "../trace-source.ts";
import { classNames, classText } from "./generate.ts";
import { inputs, type Told, untold } from "./judge.ts";
import { outputs, type Program, programText } from "./program.ts";

/** The classes of the programs: transformed once, because members are decorated, which only TypeScript's own printing takes away. */
const classes = runModule(`"use kernel";\nimport { kernel } from "warpsmith";\n${classText}`, {}, classNames);

export function runGraph(program: Program): Told {
  const text = `import { kernel, range, staticRange, i32 } from "warpsmith";\nexport const f = kernel({}, (n, m) => {\n${programText(program)}});`;
  const { graph } = traceSource(text, ["i32", "i32"], classes, { untyped: true });
  const at = (memory: Buffer, k: number): number => memory.readInt32LE(k * 8);
  return inputs.map(([n, m]) => {
    const memory = Buffer.from(interpret(graph, [0, n, m], outputs * 8), "hex");
    // The interpreter's memory begins with a pattern, by which elements are recognised that nothing was stored to.
    return Array.from({ length: outputs }, (_, k) => (at(memory, k) === pattern(k) ? untold : at(memory, k)));
  });
}

/** What the interpreter's memory holds at element k before the kernel. */
function pattern(k: number): number {
  const bytes = new DataView(new ArrayBuffer(4));
  for (let i = 0; i < 4; i++) bytes.setUint8(i, Math.imul(k * 8 + i, 37) & 255);
  return bytes.getInt32(0, true);
}
