import { z } from 'zod';
import { REALTIME_LIMITS } from './limits.ts';

const text = z.string().max(REALTIME_LIMITS.textCharacters);

/** Clients may choose item ids. */
export const realtimeItemId = z.string().min(1).max(64);

/**
 * Audio of an event, as base64 or bytes. Returns bytes of pcm16: little endian, 24,000 samples a second, one
 * channel.
 */
export const soundBytes = z.union([z.string(), z.instanceof(Uint8Array)]).transform((value, context): Uint8Array => {
  const bytes = typeof value === 'string' ? fromBase64(value) : value;
  if (bytes === null) context.addIssue('must be base64');
  else if (bytes.byteLength % 2 !== 0) context.addIssue('must contain whole samples of 16 bits');
  else return bytes;
  return z.NEVER;
});

/** `Uint8Array.fromBase64` needs a newer Node.js. */
function fromBase64(text: string): Uint8Array | null {
  const isBase64 = /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 !== 1;
  return isBase64 ? Buffer.from(text, 'base64') : null;
}

/** User or system input. Also accepts the beta's part names. */
const inputPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('input_text'), text }),
  z.object({ type: z.literal('input_audio'), audio: soundBytes, transcript: text.nullish() }),
]);

/** Earlier output. */
const outputPart = z
  .object({
    type: z.enum(['output_text', 'text', 'output_audio', 'audio']),
    text: text.optional(),
    transcript: text.nullish(),
  })
  .transform(({ text, transcript }) => ({ type: 'output_text' as const, text: text ?? transcript ?? '' }));

/** An item that a client adds to a conversation. Function calls are not supported. */
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

/** A part of an item as the client sees it. Audio is never sent again, so `audio` is null. */
export type RealtimePart =
  | { type: 'input_text'; text: string }
  | { type: 'input_audio'; audio: null; transcript: string | null }
  | { type: 'output_text'; text: string }
  | { type: 'output_audio'; audio: null; transcript: string };

export interface RealtimeItem {
  id: string;
  object: 'realtime.item';
  type: 'message';
  status: 'in_progress' | 'completed' | 'incomplete';
  role: 'user' | 'assistant' | 'system';
  content: RealtimePart[];
  /** Extension: the stored message. Null: not stored, or not yet. */
  message_id?: string | null;
}
