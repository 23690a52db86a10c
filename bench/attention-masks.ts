// The masks of the cases: what queries see, on the device and on the host.
import { type Device, type DeviceTensor, helper, type Tensor } from "warpsmith";
import { type AttentionMask, attentionMask } from "warpsmith/kernels";
import type { AttentionCase } from "./attention-case.ts";

/** A prompt that everybody sees, and behind it what came before: a quarter of the keys. */
const prefixed = helper(
  (query: number, key: number, _head: number, _batch: number, data: { readonly ends: Tensor<"i32", 1> }) => {
    const inPrompt = key < data.ends.at(0).load();
    return key <= query || inPrompt;
  },
);
/** What came before in the same document. */
const inDocument = helper(
  (query: number, key: number, _head: number, _batch: number, data: { readonly documents: Tensor<"i32", 1> }) => {
    const same = data.documents.at(query).load() === data.documents.at(key).load();
    return key <= query && same;
  },
);

const promptOf = (length: number): number => length / 4;

/** The document of each token: of 128 to 2048 tokens, drawn by a multiplicative congruence. */
export function documentsOf(length: number): readonly number[] {
  const documents: number[] = [];
  for (let document = 0, x = 1; documents.length < length; document++) {
    x = (x * 48271) % 2147483647;
    const tokens = 128 + (x % 1921);
    for (let i = 0; i < tokens && documents.length < length; i++) documents.push(document);
  }
  return documents;
}

/** Where documents begin, and where the last one ends. */
export function beginsOf(length: number): readonly number[] {
  const documents = documentsOf(length);
  return [...documents.flatMap((document, i) => (document === documents[i - 1] ? [] : [i])), length];
}

/** Whether a query of a case sees a key, on the host. */
export function seesOf({ causal, mask, length }: AttentionCase): (query: number, key: number) => boolean {
  if (mask === "prefix") return (query, key) => key <= query || key < promptOf(length);
  if (mask === "causal") return (query, key) => key <= query;
  if (mask === undefined) return (query, key) => !causal || key <= query;
  const documents = documentsOf(length);
  return (query, key) => key <= query && documents[query] === documents[key];
}

const before = helper((query: number, key: number) => key <= query);

/** A mask on a device, with what its function looks at. */
export interface MadeMask extends Disposable {
  readonly mask: AttentionMask;
}

/** The mask of a case, where it has one. */
export function maskOf(device: Device, { mask, length }: AttentionCase): MadeMask | undefined {
  if (mask === undefined) return undefined;
  const of = { queries: length, keys: length };
  const tensors: DeviceTensor[] = [];
  const put = (numbers: readonly number[]): DeviceTensor<"i32", 1> => {
    const x = device.tensor("i32", [numbers.length], numbers) as DeviceTensor<"i32", 1>;
    tensors.push(x);
    return x;
  };
  const made =
    mask === "causal"
      ? attentionMask(device, before, of)
      : mask === "prefix"
        ? attentionMask(device, prefixed, { ...of, data: { ends: put([promptOf(length)]) } })
        : attentionMask(device, inDocument, { ...of, data: { documents: put(documentsOf(length)) } });
  return {
    mask: made,
    [Symbol.dispose]() {
      for (const x of [made, ...tensors]) x.dispose();
    },
  };
}

/** Pairs of a query and a key that it sees, of one head. */
export function pairsOf(one: AttentionCase): number {
  const { length, causal, mask } = one;
  // As FlashAttention's papers count it.
  if (mask === undefined) return (length * length) / (causal ? 2 : 1);
  const sees = seesOf(one);
  let pairs = 0;
  for (let query = 0; query < length; query++) for (let key = 0; key < length; key++) if (sees(query, key)) pairs++;
  return pairs;
}
