import type { RequiredAction } from '../tool-approval.ts';
import type { TurnDetection } from '../turn-detection.ts';
import type { RealtimeItem } from './items.ts';
import type { RealtimeSettings } from './settings.ts';

const FORMAT = { type: 'audio/pcm', rate: 24_000 } as const;

/** A session in `session.created` and `session.updated`. */
export interface RealtimeSession {
  /** The connection's id. */
  id: string;
  object: 'realtime.session';
  type: 'realtime';
  /** `provider/model` that answers. */
  model: string;
  /** Extension: the stored session, to continue on another connection. Null: the first turn creates one. */
  session_id: string | null;
  output_modalities: ('audio' | 'text')[];
  instructions: string;
  max_output_tokens: number | 'inf';
  temperature: number | null;
  tools: never[];
  tool_choice: 'none';
  tracing: null;
  audio: {
    input: {
      format: typeof FORMAT;
      noise_reduction: null;
      transcription: { model: string | null; language: string | null } | null;
      turn_detection: TurnDetection | null;
    };
    output: { format: typeof FORMAT; voice: string; speed: number };
  };
  /** Extension: unsupported fields of the last `session.update`. */
  ignored: string[];
}

/** Converts settings to the protocol's form, with the model and voice in use. */
export function presentRealtimeSession(
  settings: RealtimeSettings,
  facts: Pick<RealtimeSession, 'id' | 'session_id' | 'model' | 'ignored'> & { voice: string },
): RealtimeSession {
  const { id, session_id, model, ignored, voice } = facts;
  const { transcription, turn_detection, speed, temperature } = settings;
  return {
    id,
    object: 'realtime.session',
    type: 'realtime',
    model,
    session_id,
    output_modalities: [settings.modality],
    instructions: settings.instructions ?? '',
    max_output_tokens: settings.max_output_tokens ?? 'inf',
    temperature,
    tools: [],
    tool_choice: 'none',
    tracing: null,
    audio: {
      input: { format: FORMAT, noise_reduction: null, transcription, turn_detection },
      output: { format: FORMAT, voice, speed },
    },
    ignored,
  };
}

export interface RealtimeUsage {
  total_tokens: number;
  input_tokens: number;
  output_tokens: number;
  input_token_details: { text_tokens: number; audio_tokens: number; cached_tokens: number };
  output_token_details: { text_tokens: number; audio_tokens: number };
}

export interface RealtimeResponse {
  id: string;
  object: 'realtime.response';
  status: 'in_progress' | 'completed' | 'cancelled' | 'failed' | 'incomplete';
  status_details: {
    type: 'completed' | 'cancelled' | 'incomplete' | 'failed';
    reason?: 'turn_detected' | 'client_cancelled' | 'max_output_tokens' | 'content_filter';
    error?: { type: string; code: string; message: string };
  } | null;
  output: RealtimeItem[];
  output_modalities: ('audio' | 'text')[];
  audio: { output: { format: typeof FORMAT; voice: string } };
  conversation_id: string | null;
  max_output_tokens: number | 'inf';
  metadata: Record<string, string> | null;
  usage: RealtimeUsage | null;
  /** Extensions: the execution that writes the answer, and the stored session. Null: not yet known. */
  execution_id: string | null;
  session_id: string | null;
  /** Extension of `response.done`: parts that were ignored, changed, or not spoken. */
  warnings?: string[];
}

export interface RealtimeError {
  type: 'invalid_request_error' | 'server_error';
  code: string;
  message: string;
  param: string | null;
  /** The refused event's id. */
  event_id: string | null;
}

/** The position of a part in an answer. */
interface Place {
  response_id: string;
  item_id: string;
  output_index: number;
  content_index: number;
}

type AnswerPart = { type: 'audio'; transcript: string } | { type: 'text'; text: string };

/** The fields of each event besides `type` and `event_id`. */
interface Payloads {
  'session.created': { session: RealtimeSession };
  'session.updated': { session: RealtimeSession };
  'conversation.created': { conversation: { id: string; object: 'realtime.conversation' } };
  'conversation.item.added': { item: RealtimeItem; previous_item_id: string | null };
  'conversation.item.done': { item: RealtimeItem; previous_item_id: string | null };
  'conversation.item.retrieved': { item: RealtimeItem };
  'conversation.item.deleted': { item_id: string };
  'conversation.item.truncated': { item_id: string; content_index: number; audio_end_ms: number };
  'conversation.item.input_audio_transcription.delta': { item_id: string; content_index: number; delta: string };
  'conversation.item.input_audio_transcription.completed': {
    item_id: string;
    content_index: number;
    transcript: string;
    usage: { type: 'duration'; seconds: number };
    /** Extension: doubts about the transcript, such as speech in a language that the model does not know. */
    warnings?: string[];
  };
  'conversation.item.input_audio_transcription.failed': {
    item_id: string;
    content_index: number;
    error: { type: string; code: string; message: string };
  };
  'input_audio_buffer.committed': { item_id: string; previous_item_id: string | null };
  'input_audio_buffer.cleared': object;
  'input_audio_buffer.speech_started': { item_id: string; audio_start_ms: number };
  'input_audio_buffer.speech_stopped': { item_id: string; audio_end_ms: number };
  'input_audio_buffer.timeout_triggered': { item_id: string; audio_start_ms: number; audio_end_ms: number };
  'output_audio_buffer.cleared': { response_id: string };
  'response.created': { response: RealtimeResponse };
  'response.done': { response: RealtimeResponse };
  'response.output_item.added': { response_id: string; output_index: number; item: RealtimeItem };
  'response.output_item.done': { response_id: string; output_index: number; item: RealtimeItem };
  'response.content_part.added': Place & { part: AnswerPart };
  'response.content_part.done': Place & { part: AnswerPart };
  'response.output_text.delta': Place & { delta: string };
  'response.output_text.done': Place & { text: string };
  /** Extension: `offset_ms`, the position in the answer's audio. */
  'response.output_audio.delta': Place & { delta: string; offset_ms?: number };
  'response.output_audio.done': Place;
  'response.output_audio_transcript.delta': Place & { delta: string };
  'response.output_audio_transcript.done': Place & { transcript: string };
  /** Extension: calls of the agent's tools wait for `POST /jobs/{execution_id}/actions`. Then the answer continues. */
  'response.requires_action': {
    response_id: string;
    execution_id: string | null;
    required_action: RequiredAction;
  };
  error: { error: RealtimeError };
}

export type RealtimeServerEventType = keyof Payloads;

/** A server event. Audio deltas are base64 pcm16: 24,000 samples a second, one channel. */
export type RealtimeServerEvent = {
  [Type in RealtimeServerEventType]: { type: Type; event_id: string } & Payloads[Type];
}[RealtimeServerEventType];

/** A server event before the socket numbers and sends it. */
export type RealtimeEventData = {
  [Type in RealtimeServerEventType]: { type: Type } & Payloads[Type];
}[RealtimeServerEventType];
