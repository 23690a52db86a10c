/** A program as it is drawn: its sizes known, its buffers as small as lowering makes them, and which access is of how many neighbours. */

import { nearest, placeOnStack } from "../../base/diag/index.ts";
import type { TensorSpec } from "../../base/types.ts";
import { fail } from "../errors/index.ts";
import { type Launch, launchOf } from "../facts/launch.ts";
import { numberOf } from "../ir/evaluate.ts";
import type { Buffer, Program } from "../ir/types.ts";
import { staticShape } from "../ir/walk.ts";
import { loweringPasses } from "../lower/lower-program.ts";
import { specialize } from "../lower/tensors/specialize.ts";
import { denseSpec } from "../lower/tensors/specs.ts";

export type Sizes = Readonly<Record<string, number>>;

/** Why something is not drawn. W5545. */
export const refuse = (what: string, why: string): never => fail("W5545", { what, why }, placeOnStack());

/** There is none of that name. W5520. */
export const unknown = (what: string, name: string, names: readonly string[]): never =>
  fail("W5520", { what, name, nearest: nearest(name, names) }, placeOnStack());

/** The program for sizes that only a launch would know. W5545. */
export function sized(
  program: Program,
  sizes: Sizes,
  what: string,
): { readonly program: Program; readonly specs: readonly TensorSpec[] } {
  const values = new Map(program.sizes.flatMap((v) => (sizes[v.name] === undefined ? [] : [[v, sizes[v.name] ?? 0] as const])));
  const open = program.sizes.find((v) => !values.has(v));
  if (open) refuse(what, `the size ${open.name} is not known: give it, such as \`{ sizes: { ${open.name}: 64 } }\``);
  const specs = program.params.map((buffer) =>
    denseSpec(
      buffer,
      buffer.shape.map((e) => numberOf(e, values) ?? 1),
    ),
  );
  return { program: specialize(program, specs), specs };
}

export interface LaidOut {
  readonly program: Program;
  readonly launch: Launch;
}

/** Where nothing is laid out anew: what the program is given lies where it lies. */
const ofParameters = new Set(["lower-init", "flatten-blocks"]);
/** Up to "vectorize": from there on nothing changes where elements lie. Loops stay as the author knows them, and fragments are parts of matrices. */
const ofOthers = new Set([...ofParameters, "simplify-indices", "compact-buffers", "vectorize"]);

/** The program as it is when a buffer of it is drawn. W5520, W5545. */
export function laidOut(given: Program, buffer: string, sizes: Sizes): LaidOut {
  const { program, specs } = sized(given, sizes, `'${buffer}'`);
  bufferOf(program, buffer);
  const launch = launchOf(program);
  const wanted = program.params.some((b) => b.name === buffer) ? ofParameters : ofOthers;
  const passes = loweringPasses.filter(({ name }) => wanted.has(name));
  const remark = (): void => {};
  return { launch, program: passes.reduce((p, pass) => pass.run(p, { specs, launch, remark }), program) };
}

/** The buffer of that name. W5520. */
export function bufferOf(program: Program, name: string): Buffer {
  const all = [...program.params, ...program.buffers];
  return (
    all.find((b) => b.name === name) ??
    unknown(
      "buffer",
      name,
      all.map((b) => b.name),
    )
  );
}

/** Elements per dimension, the plane's last. Of one dimension it is a row. */
export const shapeOf = (buffer: Buffer): readonly number[] => staticShape(buffer) ?? [];
