import type { Credential } from '@chorus/accounts';
import type { Owner } from '@chorus/contract';
import type { AgentRecord } from '@chorus/database';

/** The authenticated user of a socket, as of when it was opened. */
export interface Caller {
  readonly owner: Owner;
  readonly credential: Credential;
  readonly agent: AgentRecord | null;
  readonly requestId: string;
}

export interface SessionRequest {
  /** Model as requested; only `provider/model` has an effect. */
  readonly model: string | null;
  /** An existing session of the caller to continue. */
  readonly sessionId: string | null;
  readonly voice: string | null;
}
