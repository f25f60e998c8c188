/**
 * Why an attempt must stop before its handler is done. `cancelled` and `timeout` end the execution; `handback` gives the job to another
 * worker, since this one is going; `yield` gives its place to somebody else's job until its next turn; `refused` means that another has it already, or that it has ended.
 */
export type StopKind = 'cancelled' | 'timeout' | 'handback' | 'yield' | 'refused';

/** The reason of an aborted signal. */
export class Stop extends Error {
  readonly kind: StopKind;

  constructor(kind: StopKind) {
    super(`stopped: ${kind}`);
    this.name = 'Stop';
    this.kind = kind;
  }
}
