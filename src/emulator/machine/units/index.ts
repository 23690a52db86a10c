/**
 * The asynchronous units of a Hopper SM as state machines over bytes: mbarriers, TMA, bulk copies, wgmma, matrix moves.
 * Written from the PTX ISA alone. Addresses are JS numbers; a shared address is one of shared::cluster space (block's base
 * 0x400 + (rank << 24)). Operations land through `ClusterUnits.queue`.
 */

// createAsyncGroups(), commitGroup(groups), groupsThrough(groups, allowed, read?): boolean, allThrough(groups): boolean
export { type AsyncGroups, allThrough, commitGroup, createAsyncGroups, groupsThrough } from "./async-groups.ts";
// createAsyncQueue(choices): AsyncQueue; without choices everything lands at once
export { type AsyncQueue, createAsyncQueue, type Movement, type Pieces } from "./async-queue.ts";
// otherOrder(map, coordinates): readonly number[] | undefined; missesImages(map, coordinates): boolean
export { missesImages, otherOrder } from "./box-places.ts";
// issueBulkLoad(units, operation), issueBulkStore(units, operation), issueAsyncCopy(units, operation)
export { issueAsyncCopy, issueBulkLoad, issueBulkStore } from "./bulk.ts";
export { elementBits, type MatrixElement, type ResultElement } from "./matrix-elements.ts";
// loadMatrices(shared, addresses, transposed, registers, rows), storeMatrices(the same)
export { loadMatrices, storeMatrices } from "./matrix-moves.ts";
// All take (table, address, …); arriveMbarrier gives the state, testParity and testState whether the phase is over.
export {
  type ArriveOptions,
  addPendingMbarrier,
  arriveMbarrier,
  completeTxMbarrier,
  createMbarrierTable,
  expectTxMbarrier,
  initMbarrier,
  invalMbarrier,
  type Mbarrier,
  type MbarrierState,
  type MbarrierTable,
  noteArrival,
  pendingCount,
  testParity,
  testState,
} from "./mbarrier.ts";
// warpMultiplier(product)(warp): mma.sync; quadMultiplier: its m8n8k4 of f16
export { quadMultiplier, warpMultiplier } from "./mma.ts";
// operandChunks(descriptor, type, extent, transposed, shared, operand): offsets of the chunks that wgmma reads
export { operandChunks } from "./operand-chunks.ts";
// combiner(op, type)(into, target, from, source)
export { combiner, type ReduceOp, type ReduceType } from "./reduce.ts";
// inputBytes[type]: bytes of an element
export { inputBytes } from "./register-elements.ts";
// issueRemoteStore(units, operation): st.async, red.async
export { issueRemoteStore, type RemoteStore } from "./remote-store.ts";
// surfaceOffset(texels, point, bytes, clamp): where an access lies, in bytes from the first texel
export { type SurfaceClamp, type SurfacePoint, surfaceOffset } from "./surface.ts";
// replaceMapField({ bytes, offset }, field, ordinal, value): tensormap.replace
// encodeTensorMap(address, map): Uint8Array(128); decodeTensorMap({ bytes, offset }): TensorMap
export { decodeTensorMap, encodeTensorMap, type MapField, mapBytes, replaceMapField } from "./tensor-map.ts";
// extentBytes(texels): from the first texel to the last; writeTexel(format, view, offset, words)
export {
  extentBytes,
  type SurfaceObject,
  type Texels,
  type TextureObject,
  type TextureObjects,
  writeTexel,
} from "./texels.ts";
// new TextureReader(object): sample, load and gather (view, point, …, into)
export { type TexturePoint, TextureReader, type Touch } from "./texture.ts";
// issueTensorLoad(units, operation), issueTensorStore(units, operation)
export { issueTensorLoad, issueTensorStore } from "./tma.ts";
export type {
  AsyncCopy,
  BulkLoad,
  BulkStore,
  ByteView,
  ClusterUnits,
  DescriptorBits,
  GlobalBytes,
  RowTail,
  SharedWindow,
  SparseMetadata,
  TensorLoad,
  TensorMap,
  TensorStore,
  Transfer,
  TransferRange,
  TransferWatch,
  WarpRegisters,
  WgmmaInput,
  WgmmaProduct,
} from "./types.ts";
// multiply(product): reads A, B and D, writes D at once. issueWgmma(queue, groups, product): through the queue.
export { issueWgmma, multiply } from "./wgmma.ts";
// loadWmma(warp, fragment, memory, stride), storeWmma(the same), multiplyWmma(warp, product)
export { loadWmma, multiplyWmma, storeWmma, type WmmaFragment, type WmmaOperand } from "./wmma.ts";
