/** Where threads are, in words. */
import type { Kernel } from "./launch.ts";
import type { Warp } from "./warp.ts";

/** "matmul.ts:81:5". */
export function describeSource(program: Pick<Kernel, "placeOf">, at: number): string {
  const [span] = program.placeOf(at);
  return span ? `${span.file}:${span.line}:${span.column}` : "an unknown place";
}

/** "lanes 0-15, 20"; "lane 3". */
export function lanesName(mask: number): string {
  const ranges: string[] = [];
  for (let lane = 0; lane < 32; lane++) {
    if (((mask >>> lane) & 1) === 0) continue;
    const first = lane;
    while (lane < 31 && ((mask >>> (lane + 1)) & 1) === 1) lane += 1;
    ranges.push(first === lane ? `${first}` : `${first}-${lane}`);
  }
  return `${ranges.length === 1 && !ranges[0]?.includes("-") ? "lane" : "lanes"} ${ranges.join(", ")}`;
}

/** "thread 63 of block (0, 0, 0)"; "thread (3, 1, 0) of block (0, 0, 0)" where blocks have more than one dimension. */
export function describeThread(warp: Warp, lane: number): string {
  const [, y, z] = warp.block.launch.block;
  const thread = [0, 1, 2].map((axis) => warp.tid[axis * 32 + lane] ?? 0);
  return `thread ${y === 1 && z === 1 ? thread[0] : `(${thread.join(", ")})`} of block (${warp.block.index.join(", ")})`;
}

/** "warp 2 of block (0, 0, 0)". */
export const describeWarp = (warp: Warp): string => `warp ${warp.index} of block (${warp.block.index.join(", ")})`;
