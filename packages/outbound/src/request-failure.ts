export type FailureReason = 'unreachable' | 'insecure' | 'timeout' | 'broken';

const MESSAGES: Record<FailureReason, string> = {
  // Refused, filtered, and absent servers must look the same.
  unreachable: 'The server could not be reached.',
  insecure:
    'No secure connection to the server could be made: its certificate is not accepted, or it does not use TLS.',
  timeout: 'The server took too long.',
  broken: 'The connection broke before the answer was complete.',
};

/** A request without a complete response. The message reveals nothing about the server. */
export class RequestFailure extends Error {
  readonly reason: FailureReason;

  constructor(reason: FailureReason, cause?: unknown) {
    super(MESSAGES[reason], cause === undefined ? undefined : { cause });
    this.name = 'RequestFailure';
    this.reason = reason;
  }
}
