import { z } from 'zod';
import { boundedRecord } from './bounded.ts';
import { EXECUTION_STATUSES } from './execution.ts';
import { recordId } from './ids.ts';
import { messageVoice } from './message-voice.ts';
import { MAX_MODELS, speechVoice } from './models.ts';
import { SPEECH_FORMATS } from './speech-format.ts';

export const VOICE_STATES = ['idle', 'listening', 'thinking', 'speaking'] as const;
export type VoiceState = (typeof VOICE_STATES)[number];

/** `POST /voice/chat/meta` */
export const voiceMetaRequest = z
  .strictObject({
    session_id: recordId.optional().describe('Also this session: its state and its spoken turns'),
    execution_id: recordId.optional().describe('Also this turn alone'),
    limit: z.int().min(1).max(100).default(50).describe('How many messages of the session are looked at'),
    after: z.string().max(500).optional().describe('`next_cursor` of the page before'),
  })
  .refine(({ session_id, execution_id }) => session_id === undefined || execution_id === undefined, {
    path: ['execution_id'],
    error: '`session_id` and `execution_id` exclude each other',
  });
export type VoiceMetaRequest = z.infer<typeof voiceMetaRequest>;

/** A turn that was spoken, or is. */
export const voiceTurnInfo = z.object({
  execution_id: z.string().nullable().describe('That answered it'),
  session_id: z.string().nullable(),
  user_message_id: z.string().nullable(),
  message_id: z.string().nullable().describe('The answer'),
  status: z.enum(EXECUTION_STATUSES),
  transcript: z.string().nullable().describe('What was said, or written'),
  text: z.string().describe('The answer; of one that was interrupted, what was heard of it'),
  voice: messageVoice.nullable().describe('How it was spoken; null: it is not known yet'),
  created_at: z.iso.datetime(),
});
export type VoiceTurnInfo = z.infer<typeof voiceTurnInfo>;

const spoken = z.object({ models: z.array(z.string()).max(MAX_MODELS), default_model: z.string().nullable() });

export const voiceMeta = z.object({
  object: z.literal('voice.meta'),
  speech: spoken.extend({ voices: z.array(speechVoice).max(MAX_MODELS).describe('Providers may have others') }),
  transcription: spoken,
  languages: z.array(z.string()).max(1_000).describe('Of the voices, in BCP 47; models may speak others'),
  formats: z
    .array(z.object({ format: z.enum(SPEECH_FORMATS), mime_type: z.string() }))
    .max(SPEECH_FORMATS.length)
    .describe('Of what is spoken'),
  accepts: z.array(z.string()).max(100).describe('Media types of what can be heard'),
  limits: z.object({
    audio_ms: z.int().describe('The longest sound that is heard'),
    text_characters: z.int().describe('The longest text that is answered'),
    spoken_ms: z.int().describe('A longer answer is spoken so far'),
    ticket_ms: z.int().describe('How long a ticket for the socket is good'),
  }),
  turn_detection: boundedRecord(z.string(), z.unknown(), 20).describe(
    'How the socket finds the end of a turn, unless told otherwise',
  ),
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
