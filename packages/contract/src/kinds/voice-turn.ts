import { z } from 'zod';
import { citationItem } from '../citation.ts';
import { defineKind } from '../define-kind.ts';
import { delivery, modelName } from '../delivery.ts';
import { assetItem, textItem } from '../execution.ts';
import { idSchema, recordId } from '../ids.ts';
import { SPEECH_FORMATS } from '../names/speech-format.ts';
import { VOICE_LIMITS } from '../names/voice-limits.ts';
import { transcriptItem } from '../transcript.ts';
import { chatCompletion } from './chat-completion.ts';

/** `POST /voice/chat`. In `multipart/form-data`, a part `file` replaces `text` and `asset_id`. */
export const voiceRequest = z
  .strictObject({
    text: z.string().trim().min(1).max(VOICE_LIMITS.textCharacters).optional().describe("The user's message, as text"),
    asset_id: idSchema('asset').optional().describe('Audio that was uploaded or generated before'),
    session_id: recordId.optional().describe('Default: a new session'),
    model: modelName.optional().describe('`provider/model` for the answer. Default: as for a chat'),
    voice: z.string().trim().min(1).max(100).optional().describe("One of the speech model's voices"),
    speech_model: modelName.optional().describe('`provider/model` for speech. Default: the configured model'),
    transcription_model: modelName
      .optional()
      .describe('`provider/model` for transcription. Default: the configured model'),
    format: z.enum(SPEECH_FORMATS).optional().describe('Audio format of the answer. Default: by `Accept`, else `mp3`'),
    ...delivery,
  })
  .refine(({ text, asset_id }) => (text === undefined) !== (asset_id === undefined), {
    path: ['text'],
    error: 'send exactly one of `file`, `text` and `asset_id`',
  });
export type VoiceRequest = z.infer<typeof voiceRequest>;

/**
 * A turn that is transcribed if needed, answered by a chat turn of its session, and spoken. The chat turn is a
 * separate execution. Its ids are in the input, so that another attempt finds it.
 */
export const voiceTurn = defineKind({
  kind: 'voice.turn',
  surface: 'voice',
  pool: 'voice',
  label: 'Voice turn',
  path: '/voice/chat',
  route: {
    summary: 'Run a spoken turn',
    description:
      'Send audio as a file or an asset, or send `text`. A chat turn of the session answers it (of a new session, unless `session_id` names one), and the answer is spoken. ' +
      'The output contains the transcript, the text, and an asset with the audio. A stream has `audio.delta` events with audio in base64 as it is generated, beside `text.delta`. ' +
      'Their `offset` is the number of bytes before; after a `text.reset`, both start over. `usage` covers transcription and speech only. The chat turn is a separate execution, the one that the message names.',
    file: { as: 'asset_id' },
    headers: {
      Accept:
        'If `audio/*`, or a format such as `audio/ogg`, comes first, the response is the audio itself, as it is generated.',
    },
    answerHeaders: {
      'X-Execution-ID': 'For audio responses: the execution.',
      'X-Session-ID': 'For audio responses: the session.',
    },
    refuses: ['not_found', 'session_locked'],
  },
  request: voiceRequest,
  input: z.object({
    said: z.discriminatedUnion('type', [
      z.object({ type: z.literal('text'), text: z.string() }),
      /** `model`: transcribes it. `heard`: the transcript of an earlier execution. */
      z.object({ type: z.literal('audio'), asset_id: z.string(), model: z.string(), heard: transcriptItem.optional() }),
    ]),
    chat: z.object({
      execution_id: z.string(),
      /** The chat turn of an earlier execution: one to follow, or a failed one to run again with the id above. */
      before: z
        .discriminatedUnion('type', [
          z.object({ type: z.literal('begun') }),
          z.object({ type: z.literal('failed'), execution_id: z.string() }),
        ])
        .optional(),
      settings: chatCompletion.input.omit({ source: true }),
      session_id: z.string(),
      user_message_id: z.string(),
      assistant_message_id: z.string(),
      /** Whether the turn creates its session. */
      opens: z.boolean(),
      agent_id: z.string().nullable(),
      /** The caller, for the chat turn's record. */
      api_key_id: z.string().nullable(),
      request_id: z.string().nullable(),
    }),
    speech: z.object({
      /** `provider/model` */
      model: z.string(),
      /** Null: the model's default voice. */
      voice: z.string().nullable(),
      format: z.enum(SPEECH_FORMATS),
      /** Whether audio is also streamed in chunks. */
      stream: z.boolean(),
    }),
  }),
  output: z.discriminatedUnion('type', [transcriptItem, textItem, assetItem, citationItem]),
  subjectOf: ({ said }) => (said?.type === 'text' ? said.text : undefined),
  capability: 'speech',
  usesPlace: () => true,
  timeoutMs: 1_800_000,
  turnOf: ({ chat }) => chat,
  soundOf: ({ speech }) => speech?.format,
  batchable: false,
});
export type VoiceTurnInput = z.infer<typeof voiceTurn.input>;
