import type { ChorusError, MessageVoice, Owner } from '@chorus/contract';
import type { VoiceMark } from '@chorus/conversations';
import type { Database, ExecutionRecord } from '@chorus/database';
import type { EventLog, EventReader } from '@chorus/events';
import type { Logger } from '@chorus/log';
import type { AnswerEvents } from './answer-events.ts';
import type { AnswerSound, Speaker } from './answer-sound.ts';
import type { PacerParts } from './sound-pacer.ts';

/** What was heard of an answer that was interrupted. */
export interface HeardAnswer {
  execution_id: string;
  message_id: string | null;
  /** Of its sound; null: it was not spoken. */
  heard_ms: number | null;
  text: string;
}

/** How a question was heard. */
export interface Hearing extends Pick<MessageVoice, 'transcription_model' | 'language' | 'cost_usd'> {
  /** When it was written down, by `performance.now()`; null: it came in writing. */
  transcribedAt: number | null;
}

/** It came in writing. */
export const UNHEARD: Hearing = { transcription_model: null, language: null, cost_usd: 0, transcribedAt: null };

export interface AnswerPlan {
  executionId: string;
  itemId: string;
  /** Null: the answer is no part of the session. */
  messageId: string | null;
  /** Where somebody spoke last, or asked in writing, by `performance.now()`. */
  began: number;
  /** Null: it is only written. */
  speaker: Speaker | null;
  /** How the question was heard. */
  hearing: Hearing;
  /** What was heard of it on an earlier socket: characters of the text, milliseconds of the sound. */
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
  /** What speaks it; null: it is only written. */
  openSound: ((send: PacerParts['send']) => AnswerSound) | null;
  /** Told when it begins to sound. */
  onSpeaking(): void;
  /** Told once it is over: all was played, or nothing more is. */
  onOver(): void;
  /** It is stored as it was heard. */
  onTruncated(itemId: string, audioEndMs: number, heard: string): void;
  /** Notes how far it was heard; null: that matters no more. */
  mark(mark: VoiceMark | null): Promise<void>;
  /** What could not be spoken, though it is written. */
  onMute(error: ChorusError): void;
}
