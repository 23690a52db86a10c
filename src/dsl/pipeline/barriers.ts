import { Mbarriers } from "../sync/index.ts";
import { type HasStructure, OwnObject, type Structure, structure } from "../trace/staged.ts";

/** The barriers of a pipeline, by stage: one that completes when the stage is full, one when it is empty. */
export class Barriers extends OwnObject implements HasStructure {
  readonly stages: number;
  readonly peers: number;
  readonly full: Mbarriers;
  readonly empty: Mbarriers;

  constructor(stages: number, peers: number, full = new Mbarriers(stages), empty = new Mbarriers(stages)) {
    super();
    this.stages = stages;
    this.peers = peers;
    this.full = full;
    this.empty = empty;
  }

  get [structure](): Structure {
    return {
      shape: `pipeline of ${this.stages} for ${this.peers}`,
      leaves: [this.full, this.empty],
      rebuild: ([full, empty]) => new Barriers(this.stages, this.peers, full as Mbarriers, empty as Mbarriers),
      describe: `a pipeline of ${this.stages} stages`,
    };
  }
}
