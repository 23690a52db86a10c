/** Which face of a cube a direction points to (CUDA C++ Programming Guide, "Cubemap Textures"). */

export interface FacePoint {
  /** 0 to 5: +x, -x, +y, -y, +z, -z. */
  readonly face: number;
  /** From 0 to 1. */
  readonly s: number;
  readonly t: number;
}

/** Where two axes are equally long, x goes before y, y before z. */
export function facePoint(x: number, y: number, z: number): FacePoint {
  const [ax, ay, az] = [Math.abs(x), Math.abs(y), Math.abs(z)];
  const on = (face: number, m: number, s: number, t: number): FacePoint => ({
    face,
    s: Math.fround((s / m + 1) / 2),
    t: Math.fround((t / m + 1) / 2),
  });
  if (ax >= ay && ax >= az) return x >= 0 ? on(0, ax, -z, -y) : on(1, ax, z, -y);
  if (ay >= az) return y >= 0 ? on(2, ay, x, z) : on(3, ay, x, -z);
  return z >= 0 ? on(4, az, x, -y) : on(5, az, -x, -y);
}
