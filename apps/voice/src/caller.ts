import type { Credential } from '@chorus/accounts';
import type { Owner } from '@chorus/contract';
import type { AgentRecord } from '@chorus/database';

/** Who speaks on a socket, as they were when they came in. */
export interface Caller {
  readonly owner: Owner;
  readonly credential: Credential;
  /** The one that they named; null: none. */
  readonly agent: AgentRecord | null;
  /** Of the request that opened the socket. */
  readonly requestId: string;
}

/** What the address of the socket asks for. */
export interface Asked {
  /** As it was named; only `provider/model` means something here. */
  readonly model: string | null;
  /** A session of the caller's, to go on with; it exists. */
  readonly sessionId: string | null;
  readonly voice: string | null;
}
