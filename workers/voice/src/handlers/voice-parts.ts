import type { Assets } from '@chorus/assets';
import type { Owner } from '@chorus/contract';
import type { TurnWork, VoiceStates } from '@chorus/conversations';
import type { Database, ExecutionRecord } from '@chorus/database';
import type { EventHub, EventLog, EventReader } from '@chorus/events';
import type { Provenance } from '@chorus/provenance';
import type { Providers } from '@chorus/providers';
import type { SoundDecoder } from '@chorus/speech';

/** What of the queue's producer a chat turn needs. */
interface TurnDispatcher {
  dispatch(
    request: TurnWork & {
      id: string;
      owner: Owner;
      requestId: string | null;
      apiKeyId: string | null;
      follow: boolean;
    },
  ): Promise<{ record: ExecutionRecord; reader: EventReader | null }>;
  cancel(owner: Owner, id: string): Promise<unknown>;
}

export interface VoiceParts {
  database: Database;
  eventLog: EventLog;
  hub: Pick<EventHub, 'open'>;
  states: Pick<VoiceStates, 'tell'>;
  /** The chat turn goes through the queue, like any other. */
  dispatcher: TurnDispatcher;
  assets: Pick<Assets, 'create' | 'get' | 'read' | 'ofExecution'>;
  provenance: Pick<Provenance, 'finish' | 'recordGenerated'>;
  decoder: Pick<SoundDecoder, 'decode'>;
  providers: Pick<Providers, 'streamSpeech' | 'costOfSpeech' | 'transcribe'>;
}
