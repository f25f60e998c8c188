// Events of the voice socket, in the form of OpenAI's Realtime API. Audio is base64 of 16-bit PCM, 24 kHz, mono.

import type { Execution } from './generated/api-types.ts';

export interface VoiceSession {
  /** Id of this connection. */
  id: string;
  /** `provider/model` that answers. */
  model: string;
  /** The stored session, to continue on another connection. Null before the first turn. */
  session_id: string | null;
  output_modalities: ('audio' | 'text')[];
  instructions: string;
  audio: {
    input: { transcription: { model: string | null; language: string | null } | null; turn_detection: object | null };
    output: { voice: string; speed: number };
  };
  /** Fields of the last `session.update` that are not supported. */
  ignored: string[];
}

export type VoicePart =
  | { type: 'input_text' | 'output_text'; text: string }
  | { type: 'input_audio'; audio: null; transcript: string | null }
  | { type: 'output_audio'; audio: null; transcript: string };

/** A message of the conversation. */
export interface VoiceItem {
  id: string;
  status: 'in_progress' | 'completed' | 'incomplete';
  role: 'user' | 'assistant' | 'system';
  content: VoicePart[];
  /** The stored message. Null while it is not stored. */
  message_id?: string | null;
}

/** An answer. */
export interface VoiceResponse {
  id: string;
  status: 'in_progress' | 'completed' | 'cancelled' | 'failed' | 'incomplete';
  status_details: { type: string; reason?: string; error?: { code: string; message: string } } | null;
  output: VoiceItem[];
  /** The execution that writes the answer. Null before it starts. */
  execution_id: string | null;
  session_id: string | null;
  /** Parts that were ignored, changed, or not spoken. */
  warnings?: string[];
}

/** The position of a part in an answer. */
export interface VoicePlace {
  response_id: string;
  item_id: string;
  output_index: number;
  content_index: number;
}

interface OfItem {
  item_id: string;
  content_index: number;
}

/** Fields of each server event besides `type` and `event_id`. */
interface Payloads {
  'session.created': { session: VoiceSession };
  'session.updated': { session: VoiceSession };
  'conversation.created': { conversation: { id: string } };
  'conversation.item.added': { item: VoiceItem; previous_item_id: string | null };
  'conversation.item.done': { item: VoiceItem; previous_item_id: string | null };
  'conversation.item.retrieved': { item: VoiceItem };
  'conversation.item.deleted': { item_id: string };
  'conversation.item.truncated': OfItem & { audio_end_ms: number };
  'conversation.item.input_audio_transcription.delta': OfItem & { delta: string };
  'conversation.item.input_audio_transcription.completed': OfItem & { transcript: string; warnings?: string[] };
  'conversation.item.input_audio_transcription.failed': OfItem & { error: { code: string; message: string } };
  'input_audio_buffer.committed': { item_id: string; previous_item_id: string | null };
  'input_audio_buffer.cleared': object;
  'input_audio_buffer.speech_started': { item_id: string; audio_start_ms: number };
  'input_audio_buffer.speech_stopped': { item_id: string; audio_end_ms: number };
  'input_audio_buffer.timeout_triggered': { item_id: string; audio_start_ms: number; audio_end_ms: number };
  /** Stop playing and discard the audio of this answer. */
  'output_audio_buffer.cleared': { response_id: string };
  'response.created': { response: VoiceResponse };
  'response.done': { response: VoiceResponse };
  /** Calls of the agent's tools wait for decisions about the execution. Then the answer continues. */
  'response.requires_action': {
    response_id: string;
    execution_id: string | null;
    required_action: NonNullable<Execution['required_action']>;
  };
  'response.output_item.added': { response_id: string; output_index: number; item: VoiceItem };
  'response.output_item.done': { response_id: string; output_index: number; item: VoiceItem };
  'response.content_part.added': VoicePlace & { part: object };
  'response.content_part.done': VoicePlace & { part: object };
  'response.output_text.delta': VoicePlace & { delta: string };
  'response.output_text.done': VoicePlace & { text: string };
  /** `offset_ms`: position in the audio of the answer. */
  'response.output_audio.delta': VoicePlace & { delta: string; offset_ms?: number };
  'response.output_audio.done': VoicePlace;
  'response.output_audio_transcript.delta': VoicePlace & { delta: string };
  'response.output_audio_transcript.done': VoicePlace & { transcript: string };
  error: { error: { type: string; code: string; message: string; param: string | null; event_id: string | null } };
}

/** An event from the server. */
export type VoiceServerEvent = {
  [Type in keyof Payloads]: { type: Type; event_id: string } & Payloads[Type];
}[keyof Payloads];

/** An event to the server. An error refers to its `event_id`. */
export type VoiceClientEvent = { event_id?: string } & (
  | { type: 'session.update'; session: Record<string, unknown> }
  | { type: 'input_audio_buffer.append'; audio: string }
  | { type: 'input_audio_buffer.commit' | 'input_audio_buffer.clear' | 'output_audio_buffer.clear' }
  | { type: 'conversation.item.create'; item: Record<string, unknown>; previous_item_id?: string }
  | { type: 'conversation.item.retrieve' | 'conversation.item.delete'; item_id: string }
  /** Reports how much was heard. The message is cut there. */
  | { type: 'conversation.item.truncate'; item_id: string; content_index: number; audio_end_ms: number }
  | { type: 'response.create'; response?: Record<string, unknown> }
  | { type: 'response.cancel'; response_id?: string }
);
