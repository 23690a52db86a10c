/** Tensor maps that the device changes (PTX ISA 9.7.9.28, 9.7.13.16). */

import { spaceNamed } from "../../../ptx/parse/index.ts";
import { forEachLane, lowestLane } from "../../machine/lanes.ts";
import { badAccess } from "../../machine/memory.ts";
import { type MapField, mapBytes, replaceMapField } from "../../machine/units/index.ts";
import { readGlobal, readLong, readShared } from "../operands.ts";
import { locate, tell } from "./locate.ts";
import type { OperationRule, OperationRules } from "./rule.ts";

/** Each lane replaces a field of a map; `dimension` says whether an operand names one. */
const replace =
  (dimension: boolean): OperationRule =>
  (c, { operands, opcode }) => {
    const [address, ordinal, last] = operands;
    const { field, space } = opcode.modifiers;
    const value = readLong(c, dimension ? last : ordinal);
    const at = spaceNamed(space) === "shared" ? readShared(c, address) : readGlobal(c, address);
    const which = dimension && ordinal?.kind === "int" ? Number(ordinal.value) : 0;
    return (warp, mask) => {
      forEachLane(mask, (lane) => {
        const location = locate(warp, space, at(warp, lane), mapBytes);
        tell(warp, lane, "read", location, mapBytes);
        tell(warp, lane, "write", location, mapBytes);
        replaceMapField({ bytes: location.region.bytes, offset: location.offset }, field as MapField, which, value(warp, lane));
      });
      return "next";
    };
  };

/** Copies a map from shared to global memory, once for the warp, and fences what reads it there. */
const publish: OperationRule = (c, i) => {
  const [to, from] = [readGlobal(c, i.operands[0]), readShared(c, i.operands[1])];
  return (warp, mask) => {
    const lane = lowestLane(mask);
    const source = locate(warp, "shared", from(warp, lane), mapBytes);
    const place = to(warp, lane);
    if (place % mapBytes !== 0) badAccess("global", place, mapBytes, undefined);
    const target = locate(warp, "global", place, mapBytes);
    tell(warp, lane, "read", source, mapBytes);
    tell(warp, lane, "write", target, mapBytes);
    target.region.bytes.set(source.region.bytes.subarray(source.offset, source.offset + mapBytes), target.offset);
    warp.block.launch.monitor?.fence(warp, mask, i);
    return "next";
  };
};

export const tensorMapRules: OperationRules = {
  "tensormap.replace": replace(false),
  "tensormap.replace.dimension": replace(true),
  "tensormap.cp_fenceproxy": publish,
};
