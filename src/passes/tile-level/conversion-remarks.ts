import { makeRemark, type Remark } from "../../base/diag/index.ts";
import { elementBytes } from "../../base/element-types.ts";
import { type Graph, isTile, type Op, type TileType, walkOps } from "../../ir/index.ts";
import { type ConversionCost, conversionCost, layoutText } from "../../layout/index.ts";

function costText(cost: ConversionCost, dtype: TileType["dtype"]): string {
  switch (cost.kind) {
    case "rename":
      return "registers get other names, which costs nothing";
    case "shuffles": {
      const count = cost.count * Math.max(1, elementBytes[dtype] / 4);
      return `${count} shuffle${count === 1 ? "" : "s"} in each thread`;
    }
    case "shared":
      return `${cost.bytes} bytes go through shared memory, and all its warps meet at two barriers`;
  }
}

const advices = {
  R6201:
    "make the tile in the layout in which it is used, `x.loadTile(at, shape, layout)`, or give that of this tile to what it meets; of the layouts that were compared, these cost least",
  R6202:
    "leave the layouts of what it is made of open, so that the compiler may bring the tiles to lie alike where they are made",
} as const;

/** One for each conversion of a tile that is more than another name for how it lies. For the graph that `assign-layouts` gives. */
export function conversionRemarks(graph: Graph): readonly Remark[] {
  const found: Remark[] = [];
  walkOps(graph.body, (raw) => {
    if (raw.name !== "tile.convert_layout") return;
    const op = raw as Op as Op<"tile.convert_layout">;
    const [from, to] = [op.operands.tile.type, op.results[0]?.type];
    if (!isTile(from) || !to || !isTile(to)) return;
    const cost = conversionCost(from, to, elementBytes[from.dtype]);
    if (!cost || (cost.kind === "rename" && !cost.moves)) return;
    const code = op.attrs.auto ? "R6201" : "R6202";
    const what = `a tile [${to.shape.join(", ")}] of ${to.dtype}`;
    const [lay, lies] = [layoutText(from.layout), layoutText(to.layout)];
    const who = op.attrs.auto ? "The compiler converts" : "This converts";
    const message = `${who} ${what} from "${lay}" to "${lies}": ${costText(cost, to.dtype)}.`;
    found.push(makeRemark(code, message, advices[code], op.spans));
  });
  return found;
}
