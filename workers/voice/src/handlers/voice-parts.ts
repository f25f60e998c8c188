import type { Assets } from '@chorus/assets';
import type { Database } from '@chorus/database';
import type { EventHub, EventLog } from '@chorus/events';
import type { Provenance } from '@chorus/provenance';
import type { Providers } from '@chorus/providers';
import type { Dispatcher } from '@chorus/queue';

export interface VoiceParts {
  database: Database;
  eventLog: EventLog;
  hub: Pick<EventHub, 'open'>;
  /** The chat turn goes through the queue, like any other. */
  dispatcher: Pick<Dispatcher, 'dispatch' | 'cancel'>;
  assets: Pick<Assets, 'create' | 'get' | 'read' | 'ofExecution'>;
  provenance: Pick<Provenance, 'finish' | 'recordGenerated'>;
  providers: Pick<Providers, 'generateSpeech' | 'transcribe'>;
}
