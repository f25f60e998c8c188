import type { Owner } from '@chorus/contract';
import type { Database } from '@chorus/database';
import type { EventLog } from '@chorus/events';
import type { Logger } from '@chorus/log';
import type { Dispatcher } from '../dispatcher.ts';

export interface DeletionParts {
  database: Pick<
    Database,
    | 'deletions'
    | 'executions'
    | 'sessions'
    | 'messages'
    | 'messageRevisions'
    | 'idempotency'
    | 'batches'
    | 'batchItems'
    | 'knowledge'
    | 'archive'
    | 'archiveRevisions'
    | 'assets'
    | 'agents'
  >;
  eventLog: Pick<EventLog, 'seal' | 'forgetEnds'>;
  dispatcher: Pick<Dispatcher, 'forget' | 'cancel'>;
  /** Deletes an asset's record, then its bytes. */
  assets: { remove(owner: Owner, id: string): Promise<boolean> };
  /** Blanks what stored answers quote of a knowledge entry. */
  blankQuotes(owner: Owner, entryId: string): Promise<void>;
  log: Logger;
}
