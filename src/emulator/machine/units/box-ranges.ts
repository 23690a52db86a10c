/** Which bytes a box touches, for those who watch. */
import type { Box } from "./box-rows.ts";
import { type Image, swizzled } from "./swizzle.ts";
import type { TensorMap, TransferRange } from "./types.ts";

const chunk = 16;

/** Of global memory; rows that follow each other are one range. */
export function rowRanges(map: TensorMap, box: Box): readonly TransferRange[] {
  const ranges: { space: "global"; address: number; bytes: number }[] = [];
  const step = box.step * box.elementBytes;
  for (const row of box.rows) {
    if (row.first >= row.end) continue;
    const address = map.address + row.source + row.first * step;
    // Elements that a stride leaves out are not told apart.
    const bytes = (row.end - row.first - 1) * step + box.elementBytes;
    const last = ranges.at(-1);
    if (last && last.address + last.bytes === address) last.bytes += bytes;
    else ranges.push({ space: "global", address, bytes });
  }
  return ranges;
}

/** Of the image in shared memory that begins at `start`: what lies inside the tensor. All of it in one range, if all does. */
export function imageRanges(image: Image, start: number, box: Box, rank: number): readonly TransferRange[] {
  const whole = box.rows.every((row) => row.first === 0 && row.end === box.rowElements);
  if (whole) return [{ space: "shared", rank, offset: start - image.place, bytes: box.imageBytes }];
  const ranges: { space: "shared"; rank: number; offset: number; bytes: number }[] = [];
  const add = (offset: number, bytes: number): void => {
    const last = ranges.at(-1);
    if (last && last.offset + last.bytes === offset) last.bytes += bytes;
    else ranges.push({ space: "shared", rank, offset, bytes });
  };
  for (const row of box.rows) {
    const end = start + row.image + row.end * box.elementBytes;
    for (let at = start + row.image + row.first * box.elementBytes; at < end; ) {
      const bytes = Math.min(chunk - (at % chunk), end - at);
      add(swizzled(at, image.mask) - image.place, bytes);
      at += bytes;
    }
  }
  return ranges;
}
