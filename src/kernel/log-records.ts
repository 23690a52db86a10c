/** Memory that launches log to, and how many of them share it. */

import { logLayout } from "../base/log-layout.ts";
import type { LogSite } from "../ir/index.ts";
import type { DeviceBackend, LaunchTurn, MappedMemory } from "../runtime/index.ts";

/** Words of a record area, where kernels print. */
const capacity = 1 << 18;
/** Where they only assert: the record of one assertion. */
const capacityOfAssertion = logLayout.firstRecord;

/** What one launch, or each launch of a graph, logs to. */
export interface LogRecords {
  /** Of the header: what the kernel takes. */
  readonly address: bigint;
  /** The record area as the launch has left it, or leaves it meanwhile. */
  words(): Uint32Array;
  /** What the launch has to be told of. */
  readonly turn: LaunchTurn | undefined;
  /** No launch uses it any more, and nobody reads it. */
  free(): void;
}

function writeHeader(bytes: Uint8Array, records: MappedMemory): void {
  const header = new DataView(bytes.buffer, bytes.byteOffset, logLayout.headerBytes);
  header.setUint32(logLayout.next, logLayout.firstRecord, true);
  header.setUint32(logLayout.capacity, records.bytes.length / 4, true);
  header.setBigUint64(logLayout.records, records.address, true);
  header.setUint32(logLayout.assertFlag, 0, true);
}

const wordsIn = ({ bytes }: MappedMemory): Uint32Array => new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);

/** Room for what a launch with these sites logs. */
export const logRecords = (backend: DeviceBackend, sites: readonly LogSite[]): LogRecords =>
  backend.oneByOne ? sharedRecords(backend) : ownRecords(backend, sites);

/** A header in device memory and its record area. */
interface Room {
  readonly header: bigint;
  readonly records: MappedMemory;
  readonly words: Uint32Array;
}

/** Rooms of launches that are done, by backend and words. */
const idle = new WeakMap<DeviceBackend, Map<number, Room[]>>();

function idleRooms(backend: DeviceBackend, words: number): Room[] {
  const bySize = idle.get(backend) ?? new Map<number, Room[]>();
  const rooms = bySize.get(words) ?? [];
  idle.set(backend, bySize.set(words, rooms));
  return rooms;
}

function newRoom(backend: DeviceBackend, words: number): Room {
  const records = backend.mapped(words * 4);
  records.bytes.fill(0);
  return { header: backend.allocate(logLayout.headerBytes), records, words: wordsIn(records) };
}

/** One of its own: many launches may run at a time, and the host does not see them end. */
function ownRecords(backend: DeviceBackend, sites: readonly LogSite[]): LogRecords {
  const size = sites.every(({ kind }) => kind === "assert") ? capacityOfAssertion : capacity;
  const rooms = idleRooms(backend, size);
  const room = rooms.pop() ?? newRoom(backend, size);
  const header = new Uint8Array(logLayout.headerBytes);
  writeHeader(header, room.records);
  backend.upload(backend.defaultStream, room.header, header);
  return {
    address: room.header,
    words: () => room.words,
    turn: undefined,
    free: () => {
      room.words.fill(0);
      rooms.push(room);
    },
  };
}

/** The room of all launches of a device that run one after the other. */
interface SharedRoom {
  readonly header: MappedMemory;
  readonly records: MappedMemory;
  readonly words: Uint32Array;
}
const shared = new WeakMap<DeviceBackend, SharedRoom>();

function sharedRoom(backend: DeviceBackend): SharedRoom {
  const known = shared.get(backend);
  if (known) return known;
  const records = backend.mapped(capacity * 4);
  const made = { records, header: backend.mapped(logLayout.headerBytes), words: wordsIn(records) };
  shared.set(backend, made);
  return made;
}

/** What a launch has written is taken out, and the room is empty again. */
function takeWords({ header, words }: SharedRoom): Uint32Array {
  const next = new DataView(header.bytes.buffer, header.bytes.byteOffset).getUint32(logLayout.next, true);
  const used = Math.min(next, words.length);
  const taken = words.slice(0, used);
  words.fill(0, 0, used);
  return taken;
}

/** The room that the launch before it has had, and the next one gets: queued launches cost nothing. */
function sharedRecords(backend: DeviceBackend): LogRecords {
  const room = sharedRoom(backend);
  let words: Uint32Array = new Uint32Array(0);
  return {
    address: room.header.address,
    words: () => words,
    turn: {
      begin() {
        writeHeader(room.header.bytes, room.records);
        words = room.words;
      },
      end() {
        words = takeWords(room);
      },
    },
    free: () => {},
  };
}
