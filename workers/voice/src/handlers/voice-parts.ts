import type { Assets } from '@chorus/assets';
import type { chatCompletion, Owner } from '@chorus/contract';
import type { VoiceStates } from '@chorus/conversations';
import type { Database, ExecutionRecord } from '@chorus/database';
import type { EventHub, EventLog, EventReader } from '@chorus/events';
import type { Work } from '@chorus/executions';
import type { Provenance } from '@chorus/provenance';
import type { Providers } from '@chorus/providers';
import type { SoundDecoder } from '@chorus/speech';

/** The part of the queue's producer that a chat turn needs. */
interface TurnDispatcher {
  dispatch(
    request: Work<typeof chatCompletion.kind> & {
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
  states: Pick<VoiceStates, 'set'>;
  /** Dispatches the chat turn. */
  dispatcher: TurnDispatcher;
  assets: Pick<Assets, 'create' | 'get' | 'read' | 'ofExecution'>;
  provenance: Pick<Provenance, 'sign' | 'recordGenerated' | 'warnings'>;
  decoder: Pick<SoundDecoder, 'decode' | 'decodeTo'>;
  providers: Pick<Providers, 'streamSpeech' | 'costOfSpeech' | 'transcribe' | 'models' | 'voices' | 'prepare'>;
}

export const providerOf = (model: string) => model.split('/', 1)[0] as string;
