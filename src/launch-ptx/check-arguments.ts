import { fail } from "../diag/index.ts";
import type { PtxEntry } from "../load-ptx/index.ts";
import { rawBytes, structOf, type Value } from "../load-ptx/values.ts";
import { mapBytes } from "../tensor-map.ts";
import type { PtxArgument } from "./types.ts";

const blank = (bytes: number, align: number): Value => rawBytes(new Uint8Array(bytes), align);

/** An argument as far as it is known without a device: what it takes. */
function outline(arg: PtxArgument): Value {
  switch (arg.kind) {
    case "address":
    case "texture":
    case "surface":
      return blank(8, 8);
    case "bytes":
      return blank(arg.bytes.length, arg.align);
    case "map":
      return blank(mapBytes, 64);
    case "structure":
      return structOf(arg.members.map(outline));
  }
}

/** Refuses arguments that are not the entry's, before there is a device. W7805, W7806. */
export function checkArguments({ demangled, parameters }: PtxEntry, args: readonly PtxArgument[]): void {
  if (args.length !== parameters.length)
    fail("W7805", { entry: demangled, parameters: parameters.map((p) => p.bytes), given: args.length });
  args.forEach((arg, i) => {
    const [given, bytes] = [outline(arg).bytes, parameters[i]?.bytes ?? 0];
    if (given !== bytes) fail("W7806", { entry: demangled, index: i, parameter: parameters[i]?.name ?? "", given, bytes });
  });
}
