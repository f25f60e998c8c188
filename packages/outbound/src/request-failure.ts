/** Why another server gave no whole answer. */
export type FailureReason = 'unreachable' | 'insecure' | 'timeout' | 'broken';

const MESSAGES: Record<FailureReason, string> = {
  // One for all that happens before a connection stands: what is refused, filtered or absent can't be told apart.
  unreachable: 'The server could not be reached.',
  insecure: 'No secure connection to the server could be made: its certificate is not accepted, or it speaks no TLS.',
  timeout: 'The server took too long.',
  broken: 'The connection broke before the answer was whole.',
};

/** A request that another server did not answer. The message names no address and nothing of what was found there. */
export class RequestFailure extends Error {
  readonly reason: FailureReason;

  constructor(reason: FailureReason, cause?: unknown) {
    super(MESSAGES[reason], cause === undefined ? undefined : { cause });
    this.name = 'RequestFailure';
    this.reason = reason;
  }
}
