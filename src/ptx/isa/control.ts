import { defineForms } from "./define-forms.ts";

/** Control flow (PTX ISA 9.7.12), barriers, warp operations (9.7.13), and the rest (9.7.19). */
export const controlForms = defineForms({
  bra: { text: "bra", operands: ["label"], ends: true },
  exit: { text: "exit", operands: [], ends: true },
  trap: { text: "trap", operands: [] },
  nanosleep: { text: "nanosleep.u32", operands: ["s:u32"] },
  "bar.sync": { text: "bar.sync", operands: ["s:u32", "imm?"] },
  /** Of threads that may come one by one. */
  "barrier.sync": { text: "barrier.sync", operands: ["s:u32"] },
  "bar.arrive": { text: "bar.arrive", operands: ["s:u32", "imm"] },
  "barrier.cluster.arrive": {
    text: "barrier.cluster.arrive",
    modifiers: { order: ["release", "relaxed"], rest: ["aligned"] },
    operands: [],
  },
  "barrier.cluster.wait": { text: "barrier.cluster.wait.acquire.aligned", operands: [] },
  "bar.warp.sync": { text: "bar.warp.sync", operands: ["s:b32"] },
  "shfl.sync": {
    text: "shfl.sync",
    modifiers: { mode: ["idx", "bfly", "up", "down"], type: ["b32"] },
    operands: ["d:b32", "s:b32", "s:b32", "s:b32", "s:b32"],
  },
  activemask: { text: "activemask.b32", operands: ["d:b32"] },
  "vote.sync.ballot": { text: "vote.sync.ballot.b32", operands: ["d:b32", "p", "s:b32"] },
  "vote.sync": { text: "vote.sync", modifiers: { mode: ["any", "all"], type: ["pred"] }, operands: ["dp", "p", "s:b32"] },
  "match.any": { text: "match.any.sync", modifiers: { type: ["b32", "b64"] }, operands: ["d:b32", "s:type", "s:b32"] },
  "match.all": { text: "match.all.sync", modifiers: { type: ["b32", "b64"] }, operands: ["pair", "s:type", "s:b32"] },
  "redux.sync": {
    text: "redux.sync",
    modifiers: { op: ["add", "min", "max", "and", "or", "xor"], type: ["u32", "s32", "b32"] },
    operands: ["d:type", "s:type", "s:b32"],
  },
  "elect.sync": { text: "elect.sync", operands: ["pair", "s:b32"] },
  griddepcontrol: { text: "griddepcontrol", modifiers: { action: ["wait", "launch_dependents"] }, operands: [] },
  setmaxnreg: { text: "setmaxnreg", modifiers: { action: ["inc", "dec"], rest: ["sync.aligned.u32"] }, operands: ["imm"] },
});
