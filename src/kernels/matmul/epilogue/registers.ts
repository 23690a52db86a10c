import type { Accumulator } from "warpsmith";

/** What a thread holds of a tile, register by register. */
export function registersOf(tile: Accumulator): readonly number[] {
  "use kernel";
  const registers: number[] = [];
  void tile.map((value) => {
    registers.push(value);
    return value;
  });
  return registers;
}
