import type { ChorusError, MessageVoice, Owner } from '@chorus/contract';
import type { VoiceMark } from '@chorus/conversations';
import type { Database, ExecutionRecord } from '@chorus/database';
import type { EventLog, EventReader } from '@chorus/events';
import type { Logger } from '@chorus/runtime/log';
import type { AnswerEvents } from './answer-events.ts';
import type { AnswerSound, Speaker } from './answer-sound.ts';
import type { PacerParts } from './sound-pacer.ts';

export interface HeardAnswer {
  execution_id: string;
  message_id: string | null;
  /** Null if the answer was not spoken. */
  heard_ms: number | null;
  text: string;
}

export interface InputSource extends Pick<MessageVoice, 'transcription_model' | 'language' | 'cost_usd'> {
  /** When it was transcribed, by `performance.now()`; null for text input. */
  transcribedAt: number | null;
}

/** Used for text input. */
export const TEXT_INPUT: InputSource = { transcription_model: null, language: null, cost_usd: 0, transcribedAt: null };

export interface AnswerPlan {
  executionId: string;
  itemId: string;
  /** Null if the answer is not part of the session. */
  messageId: string | null;
  /** When the user last spoke or wrote, by `performance.now()`. */
  askedAt: number;
  /** Null for a text-only answer. */
  speaker: Speaker | null;
  inputSource: InputSource;
  /** Part heard on an earlier socket: characters of text, milliseconds of audio. */
  from: { end: number; ms: number };
  begin(): Promise<{ record: ExecutionRecord; reader: EventReader }>;
  cancel(executionId: string): Promise<unknown>;
}

export interface AnswerParts {
  database: Database;
  eventLog: EventLog;
  owner: Owner;
  log: Logger;
  events: AnswerEvents;
  /** Opens the audio output; null for a text-only answer. */
  openSound: ((send: PacerParts['send']) => AnswerSound) | null;
  onSpeaking(): void;
  /** Called when everything was played, or the rest was dropped. */
  onFinished(): void;
  onTruncated(itemId: string, audioEndMs: number, heard: string): void;
  /** Stores how far the answer was heard; null clears the mark. */
  mark(mark: VoiceMark | null): Promise<void>;
  /** Called when the answer cannot be spoken; its text continues. */
  onSpeechError(error: ChorusError): void;
}
