/** Which allocations a launch takes: by the addresses among its arguments, and by what is known of its kernel. */
import type { GlobalMemory, Region } from "../machine/memory.ts";
import type { TextureObjects } from "../machine/units/index.ts";
import type { Origin } from "../program/reach.ts";
import type { EmulatorModule } from "./module.ts";

export interface TakenMemory {
  /** What it is given: its tensors, and variables of its module. */
  readonly given: readonly Region[];
  /** What it may write. */
  readonly written: readonly Region[];
  /** It may use others, too, by addresses that it finds in memory. */
  readonly others: boolean;
}

/** `given`: the bytes of each parameter. What the host has for its own use is not among them. */
export function memoryTakenBy(
  { program, image }: EmulatorModule,
  given: readonly Uint8Array[],
  memory: GlobalMemory,
  textures: TextureObjects,
): TakenMemory {
  const { stores, loads } = program.reach();
  const byParameter = given.map((bytes) => pointedAt(bytes, memory, textures));
  const regionsOf = ({ parameters, variables }: Origin): readonly Region[] => [
    ...parameters.flatMap((i) => byParameter[i] ?? []),
    ...variables.flatMap((variable) => memory.find(image.globalAddress(variable), 1) ?? []),
  ];
  // An address in memory of the host's leads to memory of the host's.
  const isElsewhere = (origin: Origin): boolean =>
    regionsOf(origin).length === 0 &&
    (origin.unknown || origin.foundIn.some((i) => byParameter[i]?.some(({ ofHost }) => !ofHost)));
  const all = [...stores, ...loads];
  const known = (regions: readonly Region[]): readonly Region[] => [...new Set(regions)].filter(({ ofHost }) => !ofHost);
  return {
    given: known([...byParameter.flat(), ...all.flatMap(regionsOf)]),
    written: known(stores.some(isElsewhere) ? memory.regions : stores.flatMap(regionsOf)),
    others: all.some(isElsewhere),
  };
}

/** Allocations that words of some bytes point into: as addresses, tensor maps among them, or as handles of textures. */
function pointedAt(bytes: Uint8Array, memory: GlobalMemory, textures: TextureObjects): readonly Region[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found: Region[] = [];
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    const word = Number(view.getBigUint64(at, true));
    const region = memory.find(textures.get(word)?.texels.address ?? word, 1);
    if (region) found.push(region);
  }
  return found;
}
