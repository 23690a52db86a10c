/** Tensor copies (PTX ISA 9.7.9.25.5): boxes and im2col rows between tensors and swizzled images in shared memory. */
import { fail } from "../../errors/index.ts";
import { joinGroup } from "./async-groups.ts";
import { imageNow, imagePieces, rowPieces, spoilImage, spoilTensor } from "./box-pieces.ts";
import { imageRanges, rowRanges } from "./box-ranges.ts";
import { type Box, type BoxRow, boxOf } from "./box-rows.ts";
import { roundToTf32 } from "./floats.ts";
import { completeTxMbarrier } from "./mbarrier.ts";
import { type Combine, combinerOf } from "./reduce.ts";
import { isKnownToWriteOn, rowTails, writtenBox } from "./row-tails.ts";
import { offsetIn, placeInBlock, rankOf, targetsOf, windowOf } from "./shared-place.ts";
import { copyIn, copyOut, type Image, type Line, lineOf, swizzled, swizzleMask } from "./swizzle.ts";
import type { ClusterUnits, SharedWindow, TensorLoad, TensorMap, TensorStore, Transfer, TransferWatch } from "./types.ts";

/** Images begin at multiples of this. */
const imageAlignment = 128;

/** What lies outside the tensor: these two bytes again and again, a NaN of every float type (docs/hardware.md). */
const fillNaN = [0xf7, 0x7f];

/** The allocation that the rows touch, and where byte 0 of the tensor is (or would be) in it. */
interface TensorBytes {
  readonly line: Line;
  readonly origin: number;
}

function tensorBytes(units: ClusterUnits, map: TensorMap, box: Box): TensorBytes | undefined {
  let begin = Number.POSITIVE_INFINITY;
  let end = 0;
  const stride = box.step * box.elementBytes;
  for (const row of box.rows) {
    if (row.first >= row.end) continue;
    begin = Math.min(begin, row.source + row.first * stride);
    end = Math.max(end, row.source + (row.end - 1) * stride + box.elementBytes);
  }
  if (end <= begin) return undefined;
  const { bytes, offset } = units.global.view(map.address + begin, end - begin);
  return { line: lineOf(bytes), origin: offset - begin };
}

const imageIn = (window: SharedWindow, map: TensorMap): Image => ({
  ...lineOf(window.bytes),
  place: placeInBlock(window.base),
  mask: swizzleMask[map.swizzle],
});

/** `cp.async.bulk.tensor` into shared memory; completes on an mbarrier there. W9111–W9113, W9116–W9119. */
export function issueTensorLoad(units: ClusterUnits, operation: TensorLoad, watch?: TransferWatch): void {
  const { map } = operation;
  const box = boxOf(map, operation.coordinates, operation.offsets);
  const tensor = tensorBytes(units, map, box);
  for (const target of targetsOf(units, operation)) {
    const offset = offsetIn(target.window, target.destination, box.imageBytes, imageAlignment, "a box of the tensor map");
    const transfer: Transfer | undefined = watch && {
      kind: "tensor",
      reads: rowRanges(map, box),
      writes: [{ space: "shared", rank: rankOf(target.destination), offset, bytes: box.imageBytes }],
      reduces: false,
      bytes: box.bytes,
      completion: { barrier: target.barrier },
      map,
      coordinates: operation.coordinates,
    };
    if (transfer) watch?.issues(transfer);
    const image = imageIn(target.window, map);
    const start = placeInBlock(target.destination);
    units.queue.issue(undefined, {
      tells: units.barriers.barriers.get(target.barrier),
      move: () => landBox(image, start, map, box, tensor),
      spoil: () => spoilImage(image, start, box),
      take: () => imagePieces(image, start, box, (apart) => landBox(apart, start, map, box, tensor)),
      landed: () => {
        if (transfer) watch?.lands(transfer);
        completeTxMbarrier(units.barriers, target.barrier, box.bytes);
      },
    });
  }
}

function landBox(image: Image, start: number, map: TensorMap, box: Box, tensor: TensorBytes | undefined): void {
  const rowBytes = box.rowElements * box.elementBytes;
  const outside = fillRow(map, box);
  for (const row of box.rows) {
    const at = start + row.image;
    const whole = row.first === 0 && row.end === box.rowElements;
    if (!whole) copyIn(image, at, outside, 0, rowBytes);
    if (tensor && row.first < row.end) landRow(image, at, map, box, row, tensor);
  }
}

function fillRow(map: TensorMap, box: Box): Line {
  const bytes = new Uint8Array(box.rowElements * box.elementBytes);
  if (map.oobFill === "nan") for (let i = 0; i < bytes.length; i += 1) bytes[i] = fillNaN[i & 1] ?? 0;
  return lineOf(bytes);
}

function landRow(image: Image, at: number, map: TensorMap, box: Box, row: BoxRow, tensor: TensorBytes): void {
  const size = box.elementBytes;
  const source = tensor.origin + row.source;
  const from = at + row.first * size;
  const length = (row.end - row.first) * size;
  if (box.step === 1 && map.dtype !== "tf32") {
    copyIn(image, from, tensor.line, source + row.first * size, length);
    return;
  }
  const gathered = new Uint8Array(length);
  for (let i = row.first; i < row.end; i += 1) {
    const element = source + i * box.step * size;
    gathered.set(tensor.line.bytes.subarray(element, element + size), (i - row.first) * size);
  }
  if (map.dtype === "tf32") roundRow(gathered);
  copyIn(image, from, lineOf(gathered), 0, length);
}

/** The NaN of tf32. */
const tf32NaN = 0x7fffe000;

/** A map of tf32 rounds what it loads, to the nearest, ties to even (docs/hardware.md). */
function roundRow(bytes: Uint8Array): void {
  const words = new Int32Array(bytes.buffer);
  words.forEach((word, i) => {
    words[i] = (word & 0x7fffffff) > 0x7f800000 ? tf32NaN : roundToTf32(word);
  });
}

/**
 * `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor` from shared memory. What lies beyond the end is not written, but for what shares its last 16 bytes
 * with the end of a row; an H200 takes no box that begins before the tensor (docs/hardware.md). W9111–W9113, W9115–W9117, W9119, W9123.
 */
export function issueTensorStore(units: ClusterUnits, operation: TensorStore, watch?: TransferWatch): void {
  const { map, source, reduce } = operation;
  const box = boxOf(map, operation.coordinates, operation.offsets);
  if (operation.coordinates.some((c) => c < 0)) fail("W9123", { coordinates: operation.coordinates.join(", ") });
  const window = windowOf(units, rankOf(source));
  offsetIn(window, source, box.imageBytes, imageAlignment, "a box of the tensor map");
  const image = imageIn(window, map);
  const start = placeInBlock(source);
  const tensor = tensorBytes(units, map, box);
  const combine = reduce && combinerOf(reduce, map.dtype);
  const reached = tensor ? writtenBox(box, tensor.line.bytes.length - tensor.origin) : box;
  const writesOn = isKnownToWriteOn(map);
  const stored = writesOn ? reached : box;
  const tails = watch && tensor && reached !== box ? rowTails(box, reached, { map, image, start, tensor }) : undefined;
  const transfer: Transfer | undefined = watch && {
    kind: "tensor",
    reads: imageRanges(image, start, box, rankOf(source)),
    writes: rowRanges(map, box),
    ...(tails ? { [writesOn ? "beyond" : "unknown"]: tails } : {}),
    reduces: combine !== undefined,
    bytes: box.bytes,
    completion: { groups: operation.groups },
    map,
    coordinates: operation.coordinates,
  };
  if (transfer) watch?.issues(transfer);
  const group = joinGroup(operation.groups);
  const takeRow = (from: Image, row: BoxRow): void => {
    if (tensor) takeBox(from, start, { ...stored, rows: [row] }, tensor, combine);
  };
  units.queue.issue(undefined, {
    tells: operation.groups,
    move: () => {
      if (tensor) takeBox(image, start, stored, tensor, combine);
    },
    spoil: () => {
      if (tensor && !combine) spoilTensor(stored, tensor.line, tensor.origin);
    },
    take: () => {
      const apart = imageNow(image, start, box.imageBytes);
      return rowPieces(stored, (row) => takeRow(apart, row));
    },
    taken: () => {
      group.reads -= 1;
    },
    landed: () => {
      if (transfer) watch?.lands(transfer);
      group.writes -= 1;
    },
  });
}

function takeBox(image: Image, start: number, box: Box, tensor: TensorBytes, combine: Combine | undefined): void {
  const size = box.elementBytes;
  for (const row of box.rows) {
    if (row.first >= row.end) continue;
    const target = tensor.origin + row.source;
    const at = start + row.image;
    if (combine) {
      reduceRow(image, at, box, row, tensor.line.bytes, target, combine);
    } else if (box.step === 1) {
      copyOut(image, at + row.first * size, tensor.line, target + row.first * size, (row.end - row.first) * size);
    } else {
      for (let i = row.first; i < row.end; i += 1) copyOut(image, at + i * size, tensor.line, target + i * box.step * size, size);
    }
  }
}

function reduceRow(image: Image, at: number, box: Box, row: BoxRow, bytes: Uint8Array, target: number, combine: Combine): void {
  const into = new DataView(bytes.buffer, bytes.byteOffset);
  const from = new DataView(image.bytes.buffer, image.bytes.byteOffset);
  const size = box.elementBytes;
  for (let i = row.first; i < row.end; i += 1) {
    combine(into, target + i * box.step * size, from, swizzled(at + i * size, image.mask) - image.place);
  }
}
