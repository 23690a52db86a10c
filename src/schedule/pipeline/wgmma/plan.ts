/** What the options mean for a product: checked before anything is rewritten. */

import { checkOptions, type Spans } from "../../../base/diag/index.ts";
import { elementBytes } from "../../../base/element-types.ts";
import { warpgroupSize } from "../../../base/target.ts";
import { bytesBehindRow } from "../../../base/tensor-map.ts";
import type { DType } from "../../../base/types.ts";
import { fail } from "../../errors/index.ts";
import { readBuffers, writtenBuffers } from "../../facts/touches.ts";
import { intOf } from "../../ir/build.ts";
import type { Buffer, Program } from "../../ir/types.ts";
import { checkAfter } from "../after.ts";
import { type Contraction, contractionOf } from "../contraction.ts";
import { type LeftFunction, leftFunctionOf } from "./left-function.ts";
import { knownWgmmaOptions, type WgmmaPipelineOptions } from "./options.ts";
import { type PadFactors, padFactorsOf, type Tile } from "./pad-factors.ts";

/** Everything that passes ask for. */
export interface WgmmaPlan {
  readonly contraction: Contraction;
  /** What is computed of A first, so that products take it from registers; undefined: they take it from shared memory. */
  readonly left: LeftFunction | undefined;
  readonly input: DType;
  readonly sum: DType;
  readonly tile: Tile;
  /** Warpgroups that multiply a tile, one below the other. */
  readonly consumers: number;
  /** Warpgroups that take turns at tiles; 1: all make one tile together. */
  readonly pingpong: 1 | 2 | 3;
  readonly depth: number;
  readonly blocks: number | undefined;
  readonly swizzle: number;
  readonly wait: 0 | 1;
  /** The type of what is stored. */
  readonly result: DType;
  readonly stores: "warpgroup" | "warp" | "thread";
  /** Panels of shared memory that TMA stores out of at a time. */
  readonly panels: number;
  /** Factors for the axes of the product where the tile does not divide it, and of the blocks behind it; undefined where it does. */
  readonly pad: PadFactors | undefined;
}

const mostConsumers = 7;
/** Bytes of a row of shared memory along K: the widest swizzle that TMA and wgmma share. Longer rows lie in panels as wide. */
const rowBytes = 128;
/** Registers that a thread computes with beside its sums, as ptxas counts them. */
const besideSums = 26;
/**
 * Sums that a thread has registers for, and columns of one instruction, by how many warpgroups multiply. ptxas gives an instruction no more than a thread has at
 * the launch: C7602.
 */
function roomFor(consumers: number): { readonly sums: number; readonly columns: number } {
  const atLaunch = Math.min(255, Math.floor(65_536 / ((consumers + 1) * warpgroupSize) / 8) * 8);
  const sums = { 1: 208, 2: 200, 3: 128 }[consumers] ?? Math.floor((atLaunch - besideSums) / 8) * 8;
  return { sums, columns: Math.min(256, Math.floor((2 * (atLaunch - besideSums)) / 8) * 8) };
}
const sums: Readonly<Record<string, readonly string[]>> = { f16: ["f32"], bf16: ["f32"] };

const results: readonly DType[] = ["f32", "f16", "bf16"];

const isCount = (n: unknown): n is number => typeof n === "number" && Number.isSafeInteger(n) && n >= 1;

const otherInstruction = 'take `instruction: "wmma"` or `"mma.sync"`';

/** Options that fit, for whoever has left some out. */
const example = '{ instruction: "wgmma", tile: [128, 256, 64], workgroup: [128, 2, 1], depth: 4 }';

function counts(option: string, given: unknown, at: Spans): readonly [number, number, number] {
  if (given === undefined) return fail("W5611", { option, example }, at);
  const [m, n, k, ...more]: readonly unknown[] = Array.isArray(given) ? given : [];
  if (!isCount(m) || !isCount(n) || !isCount(k) || more.length > 0)
    return fail("W5612", { option, wanted: "3 whole numbers from 1 on", given: JSON.stringify(given) }, at);
  return [m, n, k];
}
function count(option: string, given: number, at: Spans): number {
  return isCount(given) ? given : fail("W5612", { option, wanted: "a whole number from 1 on", given: JSON.stringify(given) }, at);
}

/** Whether rows end where TMA ends a store, at multiples of 16 bytes: behind others it would write on. */
function endsWithUnit({ shape, dtype }: Buffer): boolean {
  const last = shape.at(-1);
  const columns = last && intOf(last);
  return columns === undefined || bytesBehindRow(columns * elementBytes[dtype]) === 0;
}

/** Refuses turns that there are not: of one warpgroup, or of blocks that have one tile each. */
function checkTurns(
  { y, m, n }: { readonly y: number; readonly m: number; readonly n: number },
  blocks: unknown,
  shape: Readonly<Record<"m" | "n", number>>,
  refuse: (why: string, instead: string) => never,
): void {
  if (y !== 2 && y !== 3)
    refuse(
      `\`pingpong\` lets 2 or 3 warpgroups take turns, and its workgroup has ${y}`,
      `give \`workgroup: [${warpgroupSize}, 2, 1]\`: two warpgroups, each with tiles of its own`,
    );
  const tiles = Math.ceil(shape.m / m) * Math.ceil(shape.n / n);
  if (typeof blocks === "number" && blocks < tiles) return;
  const given = blocks === undefined ? "`blocks` is left out" : `\`blocks\` is ${blocks}`;
  refuse(
    `with \`pingpong\` warpgroups take turns at the tiles of a block, and no block has more than one: ${tiles === 1 ? "there is 1 tile" : `there are ${tiles} tiles`}, and ${given}`,
    "give `blocks`, fewer than there are tiles, and smaller tiles where that leaves multiprocessors without work",
  );
}

/** The plan for a program. W5610–W5612, W5617, W5626, W5640. */
export function wgmmaPlanOf(program: Program, options: WgmmaPipelineOptions, at: Spans): WgmmaPlan {
  checkOptions(options, knownWgmmaOptions);
  const [m, n, k] = counts("tile", options.tile, at);
  const [x, y, z] = counts("workgroup", options.workgroup, at);
  if (options.depth === undefined) fail("W5611", { option: "depth", example }, at);
  const { wait = 1, swizzle = 1, blocks, panels = 2, pad = false, pingpong = false } = options;
  if (wait !== 0 && wait !== 1) fail("W5612", { option: "wait", wanted: "0 or 1", given: JSON.stringify(wait) }, at);
  if (!["warpgroup", "warp", "thread"].includes(options.stores ?? "thread"))
    fail("W5612", { option: "stores", wanted: '"warpgroup", "warp" or "thread"', given: JSON.stringify(options.stores) }, at);
  if (!isCount(panels) || panels < 2 || panels > 8)
    fail("W5612", { option: "panels", wanted: "a whole number from 2 to 8", given: JSON.stringify(panels) }, at);
  if (typeof pingpong !== "boolean")
    fail("W5612", { option: "pingpong", wanted: "true or false", given: JSON.stringify(pingpong) }, at);
  const contraction = contractionOf(program, at);
  checkAfter(program, contraction, at);
  const { shape, block, a, b, c } = contraction;
  const spans = [...at, ...(block.span ? [block.span] : [])];
  const refuse = (why: string, instead: string): never => fail("W5640", { program: program.name, why, instead }, spans);
  const input = a.buffer.dtype;
  if (b.buffer.dtype !== input) fail("W5617", { a: a.buffer.name, b: b.buffer.name, types: [input, b.buffer.dtype] }, spans);
  if (!sums[input]?.includes(c.dtype))
    refuse(
      `it takes f16 and bf16 with sums of f32, not ${input} with ${c.dtype}`,
      `sum in f32, as in \`${c.name}[i][j] += f32(${a.buffer.name}[i][k]) * f32(${b.buffer.name}[k][j])\`, and convert what is summed in a block behind it; or ${otherInstruction}`,
    );
  if (contraction.adds)
    refuse(
      `'${block.name}' adds to what ${c.name} holds; give it an init`,
      `let the block begin at 0, \`init(() => { ${c.name}[i][j] = 0; })\`, and add the other matrix in a block behind it; or ${otherInstruction}`,
    );
  if (contraction.axes.batch !== undefined)
    refuse("it has a batch", `launch a program without one for each product of the batch, or ${otherInstruction}`);
  const left = leftFunctionOf(contraction);
  if (typeof left === "string")
    return refuse(left, `compute it in a kernel before, into a matrix of its own; or ${otherInstruction}`);
  const last = contraction.after.at(-1);
  const stored = last ? writtenBuffers(last)[0] : c;
  const result = stored?.dtype;
  if (result === undefined || !results.includes(result))
    return refuse(
      `its results are ${result}, and f32, f16 and bf16 are stored`,
      "store one of these, and convert it in a kernel behind",
    );
  if (x !== warpgroupSize || z !== 1 || y > mostConsumers)
    refuse(
      `its workgroup is [${x}, ${y}, ${z}], and warpgroups are [${warpgroupSize}, 1 to ${mostConsumers}, 1]`,
      `give \`workgroup: [${warpgroupSize}, 2, 1]\`: two warpgroups, each for half of the tile's rows`,
    );
  const deep = rowBytes / elementBytes[input];
  if (k !== deep)
    refuse(
      `its tile has ${k} summands of ${input}, and rows of shared memory have ${rowBytes} bytes, which are ${deep}`,
      `give \`tile: [${m}, ${n}, ${deep}]\``,
    );
  if (pingpong) checkTurns({ y, m, n }, blocks, shape, refuse);
  const sharing = pingpong ? 1 : y;
  if (m % (64 * sharing) !== 0)
    refuse(
      `${m} rows of the tile are not 64, or a multiple of it, for ${sharing === 1 ? (pingpong ? "a warpgroup" : "the one warpgroup") : `each of ${y} warpgroups`}`,
      `give the tile ${64 * sharing * Math.max(1, Math.round(m / (64 * sharing)))} rows, or let another number of warpgroups divide them: \`workgroup: [128, y, 1]\``,
    );
  if (n % 8 !== 0 || n > 256)
    refuse(
      `${n} columns of the tile are no multiple of 8 up to 256`,
      `give the tile ${Math.min(256, 8 * Math.max(1, Math.round(n / 8)))} columns`,
    );
  const perThread = ((m / sharing) * n) / warpgroupSize;
  const most = roomFor(y);
  if (perThread > most.sums)
    refuse(
      `a thread would keep ${perThread} sums, and has registers for ${most.sums}`,
      `take a smaller tile, such as [${64 * sharing}, ${Math.min(256, most.columns, 8 * Math.floor((2 * most.sums) / 8))}, ${k}], or more warpgroups: \`workgroup: [128, y, 1]\``,
    );
  if (n > most.columns)
    refuse(
      `it has ${n} columns, and where ${y === 1 ? "1 warpgroup multiplies" : `${y} warpgroups multiply`} a thread has registers for ${most.columns}`,
      `give the tile ${most.columns} columns at most, or take fewer warpgroups`,
    );
  const ragged = (["m", "n", "k"] as const).filter((d) => shape[d] % { m, n, k }[d] !== 0);
  if (pad !== undefined && typeof pad !== "boolean")
    fail("W5612", { option: "pad", wanted: "true or false", given: JSON.stringify(pad) }, at);
  if (ragged.length > 0 && left)
    refuse(
      `the tile does not divide it along ${ragged.join(", ")}, and something is computed of ${left.source.name} first`,
      `take a tile that divides [${shape.m}, ${shape.n}, ${shape.k}], or compute it in a kernel before, into a matrix of its own`,
    );
  if (ragged.length > 0 && !pad)
    refuse(
      `the tile [${m}, ${n}, ${k}] does not divide the product [${shape.m}, ${shape.n}, ${shape.k}] along ${ragged.join(", ")}, and \`pad\` is not true`,
      `give \`pad: true\`, which fills the tiles at the ends with zeros, or a tile that divides it`,
    );
  const inPlace = contraction.after.find((after) => writtenBuffers(after).some((buffer) => readBuffers(after).includes(buffer)));
  if (ragged.length > 0 && inPlace)
    refuse(
      `the tile does not divide it, and '${inPlace.name}' reads what it writes, which would be copied to a larger matrix first`,
      `let '${inPlace.name}' write to a matrix that it does not read, or take a tile that divides [${shape.m}, ${shape.n}, ${shape.k}]`,
    );
  return {
    contraction,
    left,
    input,
    sum: c.dtype,
    tile: { m, n, k },
    consumers: sharing,
    pingpong: pingpong ? (y as 2 | 3) : 1,
    depth: count("depth", options.depth, at),
    blocks: blocks === undefined ? undefined : count("blocks", blocks, at),
    swizzle: count("swizzle", swizzle, at),
    wait,
    result,
    stores: options.stores ?? (stored && endsWithUnit(stored) ? "warpgroup" : "thread"),
    panels,
    pad: ragged.length === 0 ? undefined : padFactorsOf(contraction, { m, n, k }),
  };
}
