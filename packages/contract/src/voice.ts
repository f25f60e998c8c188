import { z } from 'zod';
import { idSchema, recordId } from './ids.ts';
import { delivery, model } from './iris.ts';
import { SPEECH_FORMATS } from './speech-format.ts';
import { VOICE_LIMITS } from './voice-limits.ts';

/** `POST /voice/tickets` */
export const voiceTicket = z.object({
  object: z.literal('voice.ticket'),
  ticket: z
    .string()
    .describe('For `?ticket=` of the voice socket: lets in once, as who asked for it, in the same scope'),
  expires_at: z.iso.datetime(),
  url: z.string().describe('The address of the socket, without the ticket'),
});

/** `POST /voice/chat`; as `multipart/form-data` with a part `file` in place of `text` and `asset_id`. */
export const voiceRequest = z
  .strictObject({
    text: z
      .string()
      .trim()
      .min(1)
      .max(VOICE_LIMITS.textCharacters)
      .optional()
      .describe('What is said to the model, written'),
    asset_id: idSchema('asset').optional().describe('A sound that was uploaded or made before'),
    session_id: recordId.optional().describe('Absent: a new session is opened'),
    model: model.optional().describe('`provider/model` that answers; absent: as for a chat'),
    voice: z.string().trim().min(1).max(100).optional().describe('One of the voices of the model that speaks'),
    speech_model: model.optional().describe('`provider/model` that speaks; absent: the default'),
    transcription_model: model.optional().describe('`provider/model` that hears; absent: the default'),
    format: z
      .enum(SPEECH_FORMATS)
      .optional()
      .describe('Of the sound of the answer; absent: what `Accept` names, else `mp3`'),
    ...delivery,
  })
  .refine(({ text, asset_id }) => (text === undefined) !== (asset_id === undefined), {
    path: ['text'],
    error: 'exactly one of `file`, `text` and `asset_id`',
  });
export type VoiceRequest = z.infer<typeof voiceRequest>;
