import { fail } from "../diag/index.ts";
import { type PtxFunction, parsePtx } from "../ptx/parse/index.ts";
import type { Dim3 } from "../types.ts";
import { sizeOf } from "./launch-ptx.ts";
import type { PtxArgument } from "./types.ts";

/** What a module says about one of its entries. */
export interface PtxEntry {
  readonly name: string;
  readonly parameters: readonly { readonly name: string; readonly bytes: number }[];
  /** Where the module fixes them: `.reqntid`, `.reqnctapercluster`. */
  readonly block: Dim3 | undefined;
  readonly cluster: Dim3 | undefined;
  readonly instructions: number;
}

const dim3 = (extents: readonly number[] | undefined): Dim3 | undefined =>
  extents && [extents[0] ?? 1, extents[1] ?? 1, extents[2] ?? 1];

const describeEntry = ({ name, params, directives, body }: PtxFunction): PtxEntry => ({
  name,
  parameters: params.map((p) => ({ name: p.name, bytes: p.size })),
  block: dim3(directives.reqntid),
  cluster: dim3(directives.reqnctapercluster),
  instructions: body?.instructions.length ?? 0,
});

/** The entry of that name, or the only one. W7804, and what the reader of PTX finds. */
export function findEntry(ptx: string, file: string, name: string | undefined): PtxEntry {
  const entries = parsePtx(ptx, file).functions.filter((f) => f.entry && f.body);
  const found = name === undefined && entries.length === 1 ? entries[0] : entries.find((f) => f.name === name);
  return found ? describeEntry(found) : fail("W7804", { file, name, entries: entries.map((f) => f.name) });
}

/** Refuses arguments that are not the entry's. W7805, W7806. */
export function checkArguments(entry: PtxEntry, args: readonly PtxArgument[]): void {
  const { name, parameters } = entry;
  if (args.length !== parameters.length)
    fail("W7805", { entry: name, parameters: parameters.map((p) => p.bytes), given: args.length });
  args.forEach((arg, i) => {
    const [given, bytes] = [sizeOf(arg).bytes, parameters[i]?.bytes ?? 0];
    if (given !== bytes) fail("W7806", { entry: name, index: i, parameter: parameters[i]?.name ?? "", given, bytes });
  });
}
