import { flag } from "./common-slots.ts";
import { defineReadForms } from "./define-read-forms.ts";

const cta = flag("cta");
const aligned = flag("aligned");
const uni = flag("uni");
/** A barrier of threads, to which those of a warp come together. */
const ofThreads = { collective: true, barrier: "threads" } as const;

/** Control flow (PTX ISA 9.7.12), barriers and warp operations (9.7.13), the rest (9.7.19). */
export const readControl = defineReadForms({
  bra: { text: "bra", modifiers: { uni }, operands: ["label"], jumps: true },
  "brx.idx": { text: "brx.idx", modifiers: { uni }, operands: ["s:u32", "label"], jumps: true },
  /** Results, callee (a function or a register), arguments, prototype of an indirect call. */
  call: { text: "call", modifiers: { uni }, operands: ["list?", "s", "list?", "label?"], jumps: true },
  ret: { text: "ret", modifiers: { uni }, operands: [], jumps: true },
  exit: { text: "exit", operands: [], jumps: true },
  trap: { text: "trap", operands: [], traps: true },
  brkpt: { text: "brkpt", operands: [], traps: true },
  nanosleep: { text: "nanosleep.u32", operands: ["s:u32"] },
  pmevent: { text: "pmevent", modifiers: { mask: flag("mask") }, operands: ["imm"] },

  "bar.sync": { text: "bar.sync", modifiers: { cta }, operands: ["s:u32", "s:u32?"], ...ofThreads },
  "bar.arrive": {
    text: "bar.arrive",
    modifiers: { cta },
    operands: ["s:u32", "s:u32"],
    ...ofThreads,
    arrives: true,
  },
  "bar.red.popc": {
    text: "bar.red.popc",
    modifiers: { cta, type: ["u32"] },
    operands: ["d:u32", "s:u32", "s:u32?", "p"],
    joins: "count",
    ...ofThreads,
  },
  "bar.red": {
    text: "bar.red",
    modifiers: { cta, op: ["and", "or"], type: ["pred"] },
    operands: ["dp", "s:u32", "s:u32?", "p"],
    joins: "op",
    ...ofThreads,
  },
  "barrier.sync": {
    text: "barrier.sync",
    modifiers: { cta, aligned },
    operands: ["s:u32", "s:u32?"],
    ...ofThreads,
  },
  "barrier.arrive": {
    arrives: true,
    text: "barrier.arrive",
    modifiers: { cta, aligned },
    operands: ["s:u32", "s:u32"],
    ...ofThreads,
  },
  "barrier.red.popc": {
    text: "barrier.red.popc",
    modifiers: { cta, aligned, type: ["u32"] },
    operands: ["d:u32", "s:u32", "s:u32?", "p"],
    joins: "count",
    ...ofThreads,
  },
  "barrier.red": {
    text: "barrier.red",
    modifiers: { cta, op: ["and", "or"], aligned, type: ["pred"] },
    operands: ["dp", "s:u32", "s:u32?", "p"],
    joins: "op",
    ...ofThreads,
  },
  "bar.warp.sync": { text: "bar.warp.sync", operands: ["s:b32"], barrier: "threads" },
  "barrier.cluster.arrive": {
    arrives: true,
    text: "barrier.cluster.arrive",
    modifiers: { order: ["", "release", "relaxed"], aligned },
    operands: [],
    ...ofThreads,
  },
  "barrier.cluster.wait": {
    text: "barrier.cluster.wait",
    modifiers: { order: flag("acquire"), aligned },
    operands: [],
    ...ofThreads,
  },
  griddepcontrol: {
    text: "griddepcontrol",
    modifiers: { action: ["launch_dependents", "wait"] },
    operands: [],
    crossesClusters: true,
  },
  setmaxnreg: { text: "setmaxnreg.sync.aligned.u32", modifiers: { action: ["inc", "dec"] }, operands: ["imm"], collective: true },

  shfl: {
    exchanges: true,
    text: "shfl.sync",
    modifiers: { mode: ["up", "down", "bfly", "idx"], type: ["b32"] },
    operands: ["d2:b32", "s:b32", "s:b32", "s:b32", "s:b32"],
    moves: true,
  },
  vote: { text: "vote.sync", modifiers: { mode: ["all", "any", "uni"], type: ["pred"] }, operands: ["dp", "p", "s:b32"] },
  "vote.ballot": { text: "vote.sync.ballot", modifiers: { type: ["b32"] }, operands: ["d:b32", "p", "s:b32"] },
  "match.any": { text: "match.any.sync", modifiers: { type: ["b32", "b64"] }, operands: ["d:b32", "s:type", "s:b32"] },
  "match.all": { text: "match.all.sync", modifiers: { type: ["b32", "b64"] }, operands: ["d2:b32", "s:type", "s:b32"] },
  redux: {
    text: "redux.sync",
    modifiers: { op: ["add", "min", "max", "and", "or", "xor"], type: ["u32", "s32", "b32"] },
    operands: ["d:type", "s:type", "s:b32"],
  },
  activemask: { text: "activemask", modifiers: { type: ["b32"] }, operands: ["d:b32"] },
  elect: { text: "elect.sync", operands: ["pair", "s:b32"] },
});
