import { z } from 'zod';
import { errorBody } from './errors.ts';
import { execution, usage } from './execution.ts';
import { idSchema, recordId } from './ids.ts';
import { knowledgeUse } from './knowledge.ts';
import { metadata } from './metadata.ts';
import { textUpTo } from './text-up-to.ts';
import { webhookUrl } from './webhooks.ts';

/** Messages of one request, parts of one message, and calls of one message. */
export const MAX_MESSAGES = 2_000;
const MAX_PARTS = 1_000;
const MAX_TOOL_CALLS = 1_000;

const textPart = z.object({ type: z.literal('text'), text: z.string() });
const imagePart = z.object({
  type: z.literal('image_url'),
  image_url: z.object({ url: z.string().min(1), detail: z.enum(['auto', 'low', 'high']).optional() }),
});

/** A message in OpenAI's form. `content` is plain text or parts; images go to models that see. */
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

const refusalPart = z.object({ type: z.literal('refusal'), refusal: z.string() });

/**
 * A message as OpenAI's clients send a conversation back: an answer may have been a refusal, or calls of tools with nothing said, and the
 * tools' results stand between. Tools are not honoured here; what remains of these is a `ChatMessage`.
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

/**
 * `POST /chat/completions`: `message`, or OpenAI's `messages`. Fields that OpenAI knows and we do not honour are named
 * in the answer's `X-Ignored-Fields`, so this is the one body that is not strict.
 */
export const chatRequest = z
  .looseObject({
    message: textUpTo(1_000_000)
      .optional()
      .describe('A turn of a session; without `session_id` a new session is opened.'),
    messages: z
      .array(openAiMessage)
      .min(1)
      .max(MAX_MESSAGES)
      .optional()
      .describe("OpenAI's form: a conversation without a session."),
    session_id: recordId.optional().describe('`ses_…`: the session that the turn is appended to'),
    attachments: z
      .array(idSchema('asset'))
      .min(1)
      .max(8)
      .refine((ids) => new Set(ids).size === ids.length, { error: 'must name each asset once' })
      .optional()
      .describe('Images that go with `message`, by the ids of their assets, to a model that sees.'),
    regenerate_from: recordId
      .optional()
      .describe(
        'A message of a session: it is answered again (or, if it is an answer, what it answers); what follows it is superseded.',
      ),
    model: z.string().min(1).max(200).optional().describe('`provider/model`; absent: the configured default.'),
    stream: z.boolean().nullable().default(false),
    temperature: z.number().min(0).max(2).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    max_tokens: z.int().min(1).max(1_000_000).nullish(),
    max_completion_tokens: z.int().min(1).max(1_000_000).nullish(),
    stop: z.union([z.string(), z.array(z.string()).max(8)]).nullish(),
    seed: z.int().nullish(),
    presence_penalty: z.number().min(-2).max(2).nullish(),
    frequency_penalty: z.number().min(-2).max(2).nullish(),
    n: z.int().min(1).nullish(),
    stream_options: z
      .looseObject({ include_usage: z.boolean().optional() })
      .nullish()
      .describe('The usage always comes with the last frame.'),
    knowledge: knowledgeUse
      .nullish()
      .describe(
        'What the answer may be looked for in, and cite; an empty object: all that the scope has. Absent: the `knowledge_tags` of the agent, if it has any.',
      ),
    metadata: metadata.nullish(),
    webhook_url: webhookUrl.nullish(),
  })
  .superRefine((body, context) => {
    const complain = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (body.regenerate_from !== undefined) {
      for (const other of ['message', 'messages'] as const)
        if (body[other] !== undefined) complain(other, '`regenerate_from` takes what the session holds');
    } else if (body.message === undefined && body.messages === undefined)
      complain('message', 'either `message`, `messages` or `regenerate_from` is required');
    if (body.message !== undefined && body.messages !== undefined)
      complain('messages', '`message` and `messages` exclude each other');
    if (body.attachments !== undefined && body.message === undefined)
      complain('attachments', '`attachments` go with `message`; in `messages` images are parts of a message');
    if (body.messages !== undefined && body.session_id !== undefined)
      complain('session_id', '`messages` runs without a session');
  });
export type ChatRequest = z.infer<typeof chatRequest>;

const choice = z.object({
  index: z.int(),
  message: z.object({ role: z.literal('assistant'), content: z.string().nullable(), refusal: z.null() }),
  finish_reason: z.string().nullable(),
  logprobs: z.null(),
});

/** An execution that OpenAI's clients can read as a `chat.completion`. */
export const chatExecution = execution.extend({
  object: z.literal('chat.completion'),
  created: z.int().describe('Unix seconds'),
  choices: z.array(choice).max(1),
  usage: usage.extend({ prompt_tokens: z.int(), completion_tokens: z.int() }),
  error: errorBody.nullable(),
});
export type ChatExecution = z.infer<typeof chatExecution>;
