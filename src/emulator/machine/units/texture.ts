/**
 * Texture fetches (PTX ISA 9.7.10; CUDA C++ Programming Guide, "Texture Fetching"). Each texel that a filter reads has a weight of so
 * many 256ths, as an H200 has them in one and two dimensions; in three its weights differ in one of twelve points. Filtered values are
 * summed in f64 and rounded once; how precisely the hardware sums is not specified.
 */
import { texelBytes } from "../../../base/texture.ts";
import { floatBits, type TexelReader, type TextureObject, texelReader } from "./texels.ts";
import { addressed, facePoint, filterPosition, inTexels, together, weightSteps } from "./texture-coordinates.ts";

/** Of one lane. What a geometry does not have is 0. */
export interface TexturePoint {
  x: number;
  y: number;
  z: number;
  /** Of a texture array: which. */
  layer: number;
  /** In texels. */
  readonly offsets: [number, number, number];
}

/** Told of each texel that is read: bytes from the first one. */
export type Touch = (offset: number, bytes: number) => void;

/** Two texels of an axis, -1: the border, and the weight of the second, of 256. */
interface Span {
  first: number;
  second: number;
  weight: number;
}

const span = (): Span => ({ first: 0, second: 0, weight: 0 });

export class TextureReader {
  readonly #object: TextureObject;
  readonly #reader: TexelReader;
  readonly #size: number;
  readonly #axes: readonly [Span, Span, Span] = [span(), span(), span()];
  readonly #texel = new Float64Array(4);
  readonly #sums = new Float64Array(4);
  readonly #weights = new Int32Array(8);
  readonly #border: Int32Array;

  constructor(object: TextureObject) {
    const { format } = object.texels;
    this.#object = object;
    this.#reader = texelReader(format, object.sampling.normalizedFloat);
    this.#size = texelBytes(format);
    this.#border = Int32Array.from(object.sampling.border, (x) => (this.#reader.floats ? floatBits(x) : x));
  }

  /** Whether the words that it gives are f32. */
  get floats(): boolean {
    return this.#reader.floats;
  }

  /** By floating-point coordinates. `view` begins with the first texel. */
  sample(view: DataView, point: TexturePoint, into: Int32Array, touch?: Touch): void {
    const linear = this.#object.sampling.filter === "linear";
    const layer = this.#place(point, linear);
    const [x, y, z] = this.#axes;
    if (!linear) {
      this.#words(view, x.first, y.first, layer ?? z.first, into, touch);
      return;
    }
    this.#sums.fill(0);
    const weights = this.#weigh(layer === undefined);
    for (let tap = 0; tap < 8; tap += 1) {
      const [tx, ty, tz] = [tap & 1, (tap >> 1) & 1, tap >> 2];
      const weight = (weights[tap] ?? 0) / weightSteps;
      if (weight === 0) continue;
      this.#numbers(view, tx ? x.second : x.first, ty ? y.second : y.first, layer ?? (tz ? z.second : z.first), touch);
      for (let c = 0; c < 4; c += 1) this.#sums[c] = (this.#sums[c] ?? 0) + weight * (this.#texel[c] ?? 0);
    }
    for (let c = 0; c < 4; c += 1) into[c] = floatBits(this.#sums[c] ?? 0);
  }

  /** Of eight texels: x changes first. */
  #weigh(threeAxes: boolean): Int32Array {
    const [x, y, z] = this.#axes;
    const both = together(x.weight, y.weight);
    const plane = [weightSteps - x.weight - y.weight + both, x.weight - both, y.weight - both, both];
    plane.forEach((weight, n) => {
      const behind = threeAxes ? together(weight, z.weight) : 0;
      this.#weights[n] = weight - behind;
      this.#weights[n + 4] = behind;
    });
    return this.#weights;
  }

  /** By whole numbers: neither filtered nor normalized. What lies outside is 0. */
  load(view: DataView, { x, y, z, layer, offsets: [dx, dy, dz] }: TexturePoint, into: Int32Array, touch?: Touch): void {
    const { geometry, width, height, depth } = this.#object.texels;
    const [tx, ty, tz] = [x + dx, y + dy, geometry === "3d" ? z + dz : this.#layerOf(layer)];
    const inside = tx >= 0 && tx < width && ty >= 0 && ty < height && tz >= 0 && tz < depth;
    if (inside) this.#words(view, tx, ty, tz, into, touch);
    else into.fill(0, 0, 4);
  }

  /** One channel of the four texels that linear filtering would read: from the lower left one, counter-clockwise. */
  gather(view: DataView, point: TexturePoint, channel: number, into: Int32Array, touch?: Touch): void {
    const layer = this.#place(point, true) ?? 0;
    const [x, y] = this.#axes;
    const corners = [x.first, y.second, x.second, y.second, x.second, y.first, x.first, y.first];
    const words = new Int32Array(4);
    for (let n = 0; n < 4; n += 1) {
      this.#words(view, corners[2 * n] ?? 0, corners[2 * n + 1] ?? 0, layer, words, touch);
      into[n] = words[channel] ?? 0;
    }
  }

  /** Sets the axes; gives the layer, or undefined where z is an axis. */
  #place(point: TexturePoint, linear: boolean): number | undefined {
    const { geometry } = this.#object.texels;
    if (geometry === "cube" || geometry === "acube") {
      const { face, s, t } = facePoint(point.x, point.y, point.z);
      this.#axis(0, s, 0, linear);
      this.#axis(1, t, 0, linear);
      return 6 * this.#layerOf(point.layer) + face;
    }
    const [dx, dy, dz] = point.offsets;
    this.#axis(0, point.x, dx, linear);
    this.#axis(1, point.y, dy, linear && !geometry.endsWith("1d"));
    if (geometry !== "3d") return this.#layerOf(point.layer);
    this.#axis(2, point.z, dz, linear);
    return undefined;
  }

  /** Layers are clamped, whatever the address mode. */
  #layerOf(layer: number): number {
    const { geometry, depth } = this.#object.texels;
    if (!geometry.startsWith("a")) return 0;
    return Math.min(layer, (geometry === "acube" ? depth / 6 : depth) - 1);
  }

  #axis(which: 0 | 1 | 2, coordinate: number, offset: number, linear: boolean): void {
    const { texels, sampling } = this.#object;
    const extent = [texels.width, texels.height, texels.depth][which] ?? 1;
    const mode = sampling.addressModes[which];
    const at = inTexels(coordinate, extent, sampling.normalizedCoordinates);
    const { first, weight } = linear ? filterPosition(at) : { first: Math.floor(at), weight: 0 };
    const axis = this.#axes[which];
    axis.first = addressed(first + offset, extent, mode);
    axis.second = addressed(first + offset + 1, extent, mode);
    axis.weight = weight;
  }

  #offset(x: number, y: number, z: number): number {
    const { height, pitch } = this.#object.texels;
    return (z * height + y) * pitch + x * this.#size;
  }

  #words(view: DataView, x: number, y: number, z: number, into: Int32Array, touch: Touch | undefined): void {
    if (x < 0 || y < 0 || z < 0) return void into.set(this.#border);
    const offset = this.#offset(x, y, z);
    touch?.(offset, this.#size);
    this.#reader.words(view, offset, into);
  }

  #numbers(view: DataView, x: number, y: number, z: number, touch: Touch | undefined): void {
    if (x < 0 || y < 0 || z < 0) return void this.#texel.set(this.#object.sampling.border);
    const offset = this.#offset(x, y, z);
    touch?.(offset, this.#size);
    this.#reader.numbers(view, offset, this.#texel);
  }
}
