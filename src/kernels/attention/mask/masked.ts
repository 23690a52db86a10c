import type { MaskBlock, MaskLists, MaskTensors, Visible } from "./list.ts";

/** A mask in the kernel. */
export interface Masked {
  readonly visible: Visible;
  readonly lists: MaskLists;
  readonly data: MaskTensors;
  readonly block: MaskBlock;
}
