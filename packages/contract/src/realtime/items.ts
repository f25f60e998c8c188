import { z } from 'zod';
import { REALTIME_LIMITS } from './limits.ts';
import { soundBytes } from './sound.ts';

const text = z.string().max(REALTIME_LIMITS.textCharacters);

/** Names of items are the client's own where it gives one. */
export const realtimeItemId = z.string().min(1).max(64);

/** What a user, or somebody for the system, says. The beta's names of parts are taken, too. */
const inputPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('input_text'), text }),
  z.object({ type: z.literal('input_audio'), audio: soundBytes, transcript: text.nullish() }),
]);

/** What was answered before. */
const outputPart = z
  .object({
    type: z.enum(['output_text', 'text', 'output_audio', 'audio']),
    text: text.optional(),
    transcript: text.nullish(),
  })
  .transform(({ text, transcript }) => ({ type: 'output_text' as const, text: text ?? transcript ?? '' }));

/** What a client adds to a conversation. Calls of functions are no part of it: none is offered to the models. */
export const realtimeNewItem = z.discriminatedUnion('role', [
  z.object({
    id: realtimeItemId.optional(),
    type: z.literal('message'),
    role: z.literal('user'),
    content: z.array(inputPart).min(1).max(16),
  }),
  z.object({
    id: realtimeItemId.optional(),
    type: z.literal('message'),
    role: z.literal('system'),
    content: z
      .array(z.object({ type: z.literal('input_text'), text }))
      .min(1)
      .max(16),
  }),
  z.object({
    id: realtimeItemId.optional(),
    type: z.literal('message'),
    role: z.literal('assistant'),
    content: z.array(outputPart).min(1).max(16),
  }),
]);
export type RealtimeNewItem = z.output<typeof realtimeNewItem>;

/** A part of an item as it is shown. Sound is never shown again: `audio` is null. */
export type RealtimePart =
  | { type: 'input_text'; text: string }
  | { type: 'input_audio'; audio: null; transcript: string | null }
  | { type: 'output_text'; text: string }
  | { type: 'output_audio'; audio: null; transcript: string };

/** An item of a conversation as it is shown. */
export interface RealtimeItem {
  id: string;
  object: 'realtime.item';
  type: 'message';
  status: 'in_progress' | 'completed' | 'incomplete';
  role: 'user' | 'assistant' | 'system';
  content: RealtimePart[];
  /** The stored message; extension. Null: it is not stored, or not yet. */
  message_id?: string | null;
}
