import {
  type Capability,
  DEFAULT_TURN_DETECTION,
  type Owner,
  SPEECH_FORMATS,
  SPEECH_TYPES,
  VOICE_LIMITS,
  type VoiceMetaRequest,
  type VoiceTurnInfo,
  type WorkerHealth,
} from '@chorus/contract';
import type { ExecutionRecord, MessageRecord } from '@chorus/database';
import { firstModel } from '@chorus/executions';
import { unknownRecord } from '../http/unknown-record.ts';
import type { Services } from '../services.ts';

/** Supported audio files, and video files with audio. */
const ACCEPTED = ['wav', 'mpeg', 'ogg', 'webm', 'mp4', 'flac', 'aac'].map((name) => `audio/${name}`);

/**
 * Reads the voice options, and the spoken turns of a session or execution.
 * @throws {ChorusError} not_found, invalid_request (cursor), store_unavailable
 */
export async function readVoiceMeta(services: Services, owner: Owner, request: VoiceMetaRequest) {
  const workers = (await services.registry.recentWorkers()).filter(({ pool }) => pool === 'voice');
  const { session_id, execution_id } = request;
  const voices = unique(
    workers.flatMap((worker) => worker.voices ?? []),
    ({ model, id }) => `${model} ${id}`,
  );
  return {
    object: 'voice.meta' as const,
    speech: { ...modelsOf(workers, 'speech', services.config.voice.speechModel), voices },
    transcription: modelsOf(workers, 'transcription', services.config.voice.transcriptionModel),
    languages: [...new Set(voices.flatMap(({ language }) => language ?? []))].sort(),
    formats: SPEECH_FORMATS.map((format) => ({ format, mime_type: SPEECH_TYPES[format].stream })),
    accepts: ACCEPTED,
    limits: {
      audio_ms: VOICE_LIMITS.audioMs,
      text_characters: VOICE_LIMITS.textCharacters,
      spoken_ms: VOICE_LIMITS.spokenMs,
      ticket_ms: VOICE_LIMITS.ticketMs,
    },
    turn_detection: DEFAULT_TURN_DETECTION,
    session: session_id === undefined ? null : await sessionOf(services, owner, session_id, request),
    turn: execution_id === undefined ? null : await turnOf(services, owner, execution_id),
  };
}

function modelsOf(workers: WorkerHealth[], capability: Capability, configured: string | null) {
  const able = workers.flatMap(({ models }) => models.filter(({ capabilities }) => capabilities.includes(capability)));
  const models = [...new Set(able.map(({ id }) => id))];
  return { models, default_model: configured ?? firstModel(workers, { pool: 'voice', capability }) };
}

async function sessionOf(services: Services, owner: Owner, id: string, { limit, after }: VoiceMetaRequest) {
  const { database, voiceStates } = services;
  const session = await database.sessions.get(owner, id);
  if (session === null) throw unknownRecord('session');
  const [state, page] = await Promise.all([
    voiceStates.get(id),
    database.messages.listBySession(owner, id, { limit, after, include_superseded: false }),
  ]);
  const turns: VoiceTurnInfo[] = [];
  for (const [place, message] of page.data.entries()) {
    if (message.role !== 'assistant' || message.voice == null) continue;
    turns.push(infoOf(message, page.data[place - 1] ?? (await questionOf(services, owner, message))));
  }
  const { has_more, next_cursor } = page;
  return { id, state, active_execution_id: session.active_execution_id, turns, has_more, next_cursor };
}

async function turnOf(services: Services, owner: Owner, id: string): Promise<VoiceTurnInfo> {
  const record = await services.database.executions.get(owner, id);
  if (record === null) throw unknownRecord('job');
  const message = record.message_id === null ? null : await services.database.messages.get(owner, record.message_id);
  if (message === null) return unanswered(record);
  return infoOf(message, await questionOf(services, owner, message));
}

function questionOf({ database }: Services, owner: Owner, { session_id, position }: MessageRecord) {
  return database.messages.last(owner, session_id, position, ['user']);
}

function infoOf(answer: MessageRecord, question: MessageRecord | null): VoiceTurnInfo {
  return {
    execution_id: answer.execution_id,
    session_id: answer.session_id,
    user_message_id: question?.id ?? null,
    message_id: answer.id,
    status: answer.status,
    transcript: question?.content ?? null,
    text: answer.content,
    voice: answer.voice ?? null,
    created_at: answer.created_at.toISOString(),
  };
}

/** Returns a turn that has no answer yet, or never got one. */
function unanswered({ id, session_id, status, output, created_at }: ExecutionRecord): VoiceTurnInfo {
  const heard = output.find((item) => item.type === 'transcript');
  return {
    execution_id: id,
    session_id,
    user_message_id: null,
    message_id: null,
    status,
    transcript: heard?.text ?? null,
    text: '',
    voice: null,
    created_at: created_at.toISOString(),
  };
}

function unique<T>(values: T[], keyOf: (value: T) => string): T[] {
  return [...new Map(values.map((value) => [keyOf(value), value])).values()];
}
