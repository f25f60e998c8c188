import type { CHECK_RESULTS, VerificationCheck } from '@chorus/contract';

export type CheckResult = (typeof CHECK_RESULTS)[number];

/** Result of one check. `made` is its statement about the origin, if any. */
export interface Finding {
  result: CheckResult;
  reason: string;
  details: VerificationCheck['details'];
}

/** Results of the origin checks, which determine the verdict. */
export type Origin =
  /** The exact content was made here, or our signature is intact. */
  | 'here'
  /** A changed copy of something made here. */
  | 'here_altered'
  /** It has a record of another signer. */
  | 'elsewhere'
  | null;

export interface OriginFinding extends Finding {
  origin: Origin;
}
