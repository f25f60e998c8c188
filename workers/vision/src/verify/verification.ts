import type { CHECK_RESULTS, VerificationCheck } from '@chorus/contract';

export type CheckResult = (typeof CHECK_RESULTS)[number];

/** What one check found: `made`: what it says of where the file comes from, for those that look at that. */
export interface Finding {
  result: CheckResult;
  /** A sentence for people. */
  reason: string;
  details: VerificationCheck['details'];
}

/** What the checks of origin know: the verdict follows from it. */
export type Origin =
  /** The very content was made here, or our intact signature says so. */
  | 'here'
  /** It is a changed copy of something that was made here. */
  | 'here_altered'
  /** It carries somebody else's record. */
  | 'elsewhere'
  | null;

export interface OriginFinding extends Finding {
  origin: Origin;
}
