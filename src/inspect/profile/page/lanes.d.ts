import type { PageLaunch, PageSpans } from "../page-types.ts";

export declare const kinds: readonly ["code", "wait", "mark", "tile", "load", "store", "product", "group", "landing"];
export declare const heights: { readonly block: number; readonly main: number; readonly other: number; readonly gap: number };
export interface Row {
  readonly lane: number;
  readonly y: number;
  readonly height: number;
  readonly indices: Uint32Array;
  readonly begin: Float64Array;
  readonly reach: Float64Array;
  readonly covered: Float64Array;
  readonly waited: Float64Array;
}
export interface LaneRows {
  readonly lane: number;
  readonly y: number;
  readonly top: number;
  readonly bottom: number;
}
export interface Rows {
  readonly rows: readonly Row[];
  readonly groups: readonly { readonly y: number; readonly block: number; readonly lanes: readonly LaneRows[] }[];
  readonly height: number;
}
export interface View {
  readonly from: number;
  readonly to: number;
  /** Pixels of a unit of time. */
  readonly scale: number;
}
export declare function layOut(launch: Pick<PageLaunch, "blocks" | "lanes" | "spans">, shown?: readonly boolean[]): Rows;
export declare function firstAbove(sorted: ArrayLike<number>, value: number, from?: number): number;
export declare function drawRow(
  row: Row,
  spans: PageSpans,
  view: View,
  rect: (x: number, width: number, kind: number, index: number | undefined) => void,
): void;
export declare function spanAt(row: Row, spans: PageSpans, time: number, slack?: number): number | undefined;
export declare function ticksOf(view: View, space?: number): number[];
export declare function timeText(time: number, unit: string): string;
export declare function blockText(block: PageLaunch["blocks"][number]): string;
export declare function laneText(lane: PageLaunch["lanes"][number]): string;
