import { z } from 'zod';

/** Maximum number of messages, of parts per message, and of tool calls per message. */
export const MAX_MESSAGES = 2_000;
const MAX_PARTS = 1_000;
const MAX_TOOL_CALLS = 1_000;

const textPart = z.object({ type: z.literal('text'), text: z.string() });
const imagePart = z.object({
  type: z.literal('image_url'),
  image_url: z.object({ url: z.string().min(1), detail: z.enum(['auto', 'low', 'high']).optional() }),
});

/** A message in OpenAI's form: text, or parts with text and images. */
export const chatMessage = z.object({
  role: z.enum(['system', 'developer', 'user', 'assistant']),
  content: z.union(
    [
      z.string(),
      z
        .array(z.discriminatedUnion('type', [textPart, imagePart]))
        .min(1)
        .max(MAX_PARTS),
    ],
    {
      error: 'must be a string or a list of parts of type text or image_url',
    },
  ),
  name: z.string().optional(),
});
export type ChatMessage = z.infer<typeof chatMessage>;

/** Returns a message's text, with its parts joined by line breaks. */
export function messageText({ content }: Pick<ChatMessage, 'content'>): string {
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

const refusalPart = z.object({ type: z.literal('refusal'), refusal: z.string() });

/**
 * A message as OpenAI's clients send back a conversation, including refusals, tool calls and tool results.
 * Tools are not supported; the rest becomes a `ChatMessage`.
 */
export const openAiMessage = z.discriminatedUnion('role', [
  chatMessage.extend({ role: z.enum(['system', 'developer', 'user']) }),
  chatMessage.extend({
    role: z.literal('assistant'),
    content: z
      .union(
        [
          z.string(),
          z
            .array(z.discriminatedUnion('type', [textPart, imagePart, refusalPart]))
            .min(1)
            .max(MAX_PARTS),
        ],
        {
          error: 'must be a string or a list of parts of type text, image_url or refusal',
        },
      )
      .nullish(),
    refusal: z.string().nullish(),
    tool_calls: z.array(z.unknown()).max(MAX_TOOL_CALLS).nullish(),
    function_call: z.unknown().optional(),
  }),
  z.object({ role: z.literal('tool'), content: z.unknown().optional() }),
  z.object({ role: z.literal('function'), content: z.unknown().optional() }),
]);
export type OpenAiMessage = z.infer<typeof openAiMessage>;

/** Maximum number of fallback models, of an agent or in `FALLBACKS`. */
export const MAX_FALLBACKS = 100;

/** Sampling settings. Absent: the provider's default. */
export const samplingSettings = z.strictObject({
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  max_tokens: z.int().optional(),
  stop: z.array(z.string()).max(8).optional(),
  seed: z.int().optional(),
  presence_penalty: z.number().optional(),
  frequency_penalty: z.number().optional(),
});
export type SamplingSettings = z.infer<typeof samplingSettings>;
export type SettingName = keyof SamplingSettings;
