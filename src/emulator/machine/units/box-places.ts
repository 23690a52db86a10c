/** Where boxes lie: outside of their tensor, or inside of it if their coordinates were in another order. */
import { elementBytes } from "../../../base/element-types.ts";
import type { Im2colMap, TiledMap } from "../../../base/tensor-map.ts";

/** Some element along a dimension of a box of tiles is inside. */
const meets = ({ dims, box }: TiledMap, d: number, at: number): boolean => at < (dims[d] ?? 1) && at + (box[d] ?? 1) > 0;

/**
 * The coordinates in an order in which they may have been meant, innermost last, or the first two exchanged: one that is another, that the hardware takes, and in
 * which some of the box is inside. Undefined where there is none, and of im2col.
 */
export function otherOrder(map: TiledMap | Im2colMap, coordinates: readonly number[]): readonly number[] | undefined {
  if (map.mode === "im2col") return undefined;
  const [first = 0, second = 0, ...rest] = coordinates;
  const isMeant = (order: readonly number[]): boolean =>
    ((order[0] ?? 0) * elementBytes[map.dtype]) % 16 === 0 && order.every((at, d) => meets(map, d, at));
  const given = coordinates.join();
  return [coordinates.toReversed(), [second, first, ...rest]].find((order) => order.join() !== given && isMeant(order));
}

/**
 * Whether a copy of im2col that moves nothing begins at channels, or behind the images, that there are not. A window that lies beside its image is what a
 * border looks like, and is what the mode is for.
 */
export function missesImages({ dims, channels }: Im2colMap, coordinates: readonly number[]): boolean {
  const [channel = 0] = coordinates;
  const image = coordinates.at(-1) ?? 0;
  return channel >= (dims[0] ?? 1) || channel + channels <= 0 || image >= (dims.at(-1) ?? 1);
}
