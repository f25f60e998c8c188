import { z } from 'zod';
import { boundedRecord } from './bounded.ts';
import { EXECUTION_STATUSES } from './execution.ts';
import { recordId } from './ids.ts';
import { messageVoice } from './message-voice.ts';
import { MAX_MODELS, speechVoice } from './models.ts';
import { SPEECH_FORMATS } from './names/speech-format.ts';

/** `POST /voice/tickets` */
export const voiceTicket = z.object({
  object: z.literal('voice.ticket'),
  ticket: z
    .string()
    .describe('For `?ticket=` of the voice socket. Works once, with the rights and scope of its creator'),
  expires_at: z.iso.datetime(),
  url: z.string().describe("The socket's URL, without the ticket"),
});

/** `POST /voice/interrupt/{session_id}` */
export const voiceInterruption = z.object({
  object: z.literal('voice.interruption'),
  session_id: z.string(),
  interrupted: z.boolean().describe('False: no turn was running, and nothing was being spoken'),
  execution_id: z.string().nullable().describe('The execution that wrote the answer'),
  message_id: z.string().nullable().describe('The answer, cut to what was played'),
  heard_ms: z.int().nullable().describe('How much of its audio was played; null: unknown'),
  heard: z.string().nullable().describe('The text that was played; null: unknown'),
});
export type VoiceInterruption = z.infer<typeof voiceInterruption>;

export const VOICE_STATES = ['idle', 'listening', 'thinking', 'speaking'] as const;
export type VoiceState = (typeof VOICE_STATES)[number];

/** `POST /voice/chat/meta` */
export const voiceMetaRequest = z
  .strictObject({
    session_id: recordId.optional().describe('Include the state and spoken turns of this session'),
    execution_id: recordId.optional().describe('Include only this turn'),
    limit: z.int().min(1).max(100).default(50).describe('Number of messages of the session to read'),
    after: z.string().max(500).optional().describe('`next_cursor` of the previous page'),
  })
  .refine(({ session_id, execution_id }) => session_id === undefined || execution_id === undefined, {
    path: ['execution_id'],
    error: '`session_id` and `execution_id` exclude each other',
  });
export type VoiceMetaRequest = z.infer<typeof voiceMetaRequest>;

export const voiceTurnInfo = z.object({
  execution_id: z.string().nullable().describe('The execution that answered'),
  session_id: z.string().nullable(),
  user_message_id: z.string().nullable(),
  message_id: z.string().nullable().describe('The assistant message'),
  status: z.enum(EXECUTION_STATUSES),
  transcript: z.string().nullable().describe('What the user said or wrote'),
  text: z.string().describe('The answer; if it was interrupted, the part that was played'),
  voice: messageVoice.nullable().describe('How it was spoken; null: not yet known'),
  created_at: z.iso.datetime(),
});
export type VoiceTurnInfo = z.infer<typeof voiceTurnInfo>;

const spoken = z.object({ models: z.array(z.string()).max(MAX_MODELS), default_model: z.string().nullable() });

export const voiceMeta = z.object({
  object: z.literal('voice.meta'),
  speech: spoken.extend({ voices: z.array(speechVoice).max(MAX_MODELS).describe('Providers may have others') }),
  transcription: spoken,
  languages: z.array(z.string()).max(1_000).describe('Languages of the voices, in BCP 47; models may speak others'),
  formats: z
    .array(z.object({ format: z.enum(SPEECH_FORMATS), mime_type: z.string() }))
    .max(SPEECH_FORMATS.length)
    .describe('Formats of spoken answers'),
  accepts: z.array(z.string()).max(100).describe("Media types of the user's audio"),
  limits: z.object({
    audio_ms: z.int().describe("Maximum length of the user's audio"),
    text_characters: z.int().describe("Maximum length of the user's text"),
    spoken_ms: z.int().describe('Longer answers are spoken up to this length'),
    ticket_ms: z.int().describe('How long a ticket for the socket is valid'),
  }),
  turn_detection: boundedRecord(z.string(), z.unknown(), 20).describe('Default turn detection of the socket'),
  session: z
    .object({
      id: z.string(),
      state: z.enum(VOICE_STATES),
      active_execution_id: z.string().nullable(),
      turns: z.array(voiceTurnInfo).max(100).describe('Oldest first'),
      has_more: z.boolean(),
      next_cursor: z.string().nullable(),
    })
    .nullable(),
  turn: voiceTurnInfo.nullable(),
});
