import { ownNamespace } from "../trace/staged.ts";
import { currentTrace } from "../trace/trace.ts";

/**
 * Programmatic dependent launch: what a kernel launched with `overlapPrevious` says to its neighbours in the stream. PTX ISA 9.7.13.13.
 * Without such a launch both do nothing.
 */
export const gridDependency = ownNamespace({
  /**
   * Waits until the kernel launched before has ended, and sees what it wrote. Every thread that reads that, or overwrites what that
   * kernel reads, calls it first, or meets at a barrier one that has.
   */
  wait(): void {
    currentTrace("gridDependency.wait").emit("griddepcontrol.wait", {}, {});
  },
  /**
   * Lets the kernel launched next start, once every block has called it or ended: when this one needs no more multiprocessors than it
   * has. Nothing is passed on by it: the next kernel's `wait` waits for the end of this one, whenever this is called.
   */
  launchDependents(): void {
    currentTrace("gridDependency.launchDependents").emit("griddepcontrol.launch_dependents", {}, {});
  },
});
