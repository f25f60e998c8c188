import { z } from 'zod';
import { agentTurn } from '../agents.ts';
import {
  chatMessage,
  chatSettings,
  MAX_ATTACHMENTS,
  MAX_FALLBACKS,
  MAX_MESSAGES,
  messageText,
  openAiMessage,
} from '../chat.ts';
import { answerChoice, completionUsage, toChoice, toCompletionUsage } from '../chat-answer.ts';
import { defineKind } from '../define-kind.ts';
import { mostTokens } from '../demand.ts';
import { errorBody } from '../error-body.ts';
import { answerItem, type Execution, execution } from '../execution.ts';
import { idSchema, recordId } from '../ids.ts';
import { knowledgeUse } from '../knowledge.ts';
import { metadata } from '../metadata.ts';
import { textUpTo } from '../text-up-to.ts';
import { toolIssues, toolMessageIssues } from '../tool-use.ts';
import { webhookUrl } from '../webhooks.ts';

/** Maximum number of tool results in one turn: the maximum number of calls in an answer. */
const MAX_TOOL_OUTPUTS = 256;

/**
 * `POST /chat/completions`: `message`, or OpenAI's `messages`. The only body that is not strict: OpenAI's fields
 * without effect are listed in `X-Ignored-Fields`.
 */
export const chatRequest = z
  .looseObject({
    message: textUpTo(1_000_000)
      .optional()
      .describe('A message to a session. Without `session_id`, it creates a new session.'),
    messages: z
      .array(openAiMessage)
      .min(1)
      .max(MAX_MESSAGES)
      .optional()
      .describe("OpenAI's form: a conversation without a session."),
    tool_outputs: z
      .array(z.strictObject({ tool_call_id: z.string().min(1).max(256), output: z.string().max(1_000_000) }))
      .min(1)
      .max(MAX_TOOL_OUTPUTS)
      .optional()
      .describe('Results of all tool calls that the last answer of `session_id` requested. The turn continues.'),
    session_id: recordId.optional().describe('`ses_…`: the session to continue'),
    temporary: z
      .boolean()
      .nullish()
      .describe('Whether the session that `message` creates is temporary: not listed, and erased after an hour'),
    custom_instructions: z
      .boolean()
      .nullish()
      .describe("Whether your own instructions (`PATCH /me/instructions`) precede the agent's. Only for sessions."),
    attachments: z
      .array(z.union([idSchema('asset'), idSchema('knowledge')], { error: 'must be the id of an image or a document' }))
      .min(1)
      .max(MAX_ATTACHMENTS)
      .refine((ids) => new Set(ids).size === ids.length, { error: 'must name each attachment once' })
      .optional()
      .describe(
        'For `message`: images by asset id, for models that accept images, and documents by the id of an entry added with `for_conversation`. ' +
          'This and later answers of the session read the documents and cite them. A turn waits up to a minute for those that are still being read; `warnings` names those that it could not use.',
      ),
    regenerate_from: recordId
      .optional()
      .describe(
        'A message of a session to answer again (or, if it is an answer, to replace). Later messages are superseded.',
      ),
    model: z.string().min(1).max(200).optional().describe('`provider/model`. Default: the configured model.'),
    stream: z.boolean().nullable().default(false),
    temperature: z.number().min(0).max(2).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    max_tokens: z.int().min(1).max(1_000_000).nullish(),
    max_completion_tokens: z.int().min(1).max(1_000_000).nullish(),
    stop: z.union([z.string(), z.array(z.string()).max(8)]).nullish(),
    seed: z.int().nullish(),
    presence_penalty: z.number().min(-2).max(2).nullish(),
    frequency_penalty: z.number().min(-2).max(2).nullish(),
    tools: z.nullable(chatSettings.shape.tools).describe('Functions that the model may call and the caller runs.'),
    tool_choice: z.nullable(chatSettings.shape.tool_choice),
    parallel_tool_calls: z.nullable(chatSettings.shape.parallel_tool_calls),
    response_format: z.nullable(chatSettings.shape.response_format),
    reasoning_effort: z.nullable(chatSettings.shape.reasoning_effort),
    verbosity: z.nullable(chatSettings.shape.verbosity),
    logprobs: z.nullable(chatSettings.shape.logprobs),
    top_logprobs: z.nullable(chatSettings.shape.top_logprobs),
    logit_bias: z.nullable(chatSettings.shape.logit_bias),
    service_tier: z.nullable(chatSettings.shape.service_tier),
    user: z.nullable(chatSettings.shape.user).describe("The caller's identifier of its end user."),
    provider_options: z
      .nullable(chatSettings.shape.provider_options)
      .describe('Options of single providers, such as `{"anthropic": {"thinking": …}}`. Other providers ignore them.'),
    n: z.int().min(1).nullish(),
    stream_options: z
      .looseObject({ include_usage: z.boolean().optional() })
      .nullish()
      .describe('Has no effect: the last frame always contains the usage.'),
    knowledge: knowledgeUse
      .nullish()
      .describe(
        'Documents that the answer may use and cite. An empty object: all of the scope. Absent: those with the `knowledge_tags` of the agent, if it has any.',
      ),
    metadata: metadata.nullish(),
    webhook_url: webhookUrl.nullish(),
  })
  .superRefine((body, context) => {
    const complain = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (body.regenerate_from !== undefined) {
      for (const other of ['message', 'messages', 'tool_outputs'] as const)
        if (body[other] !== undefined) complain(other, "`regenerate_from` uses the session's own messages");
    } else if (body.tool_outputs !== undefined) {
      for (const other of ['message', 'messages'] as const)
        if (body[other] !== undefined) complain(other, '`tool_outputs` continue a turn without another message');
      if (body.session_id === undefined) complain('session_id', 'is required with `tool_outputs`');
      const ids = body.tool_outputs.map(({ tool_call_id }) => tool_call_id);
      for (const [index, id] of ids.entries())
        if (ids.indexOf(id) < index)
          context.addIssue({
            code: 'custom',
            path: ['tool_outputs', index, 'tool_call_id'],
            message: 'must be unique',
          });
    } else if (body.message === undefined && body.messages === undefined)
      complain('message', 'either `message`, `messages`, `tool_outputs` or `regenerate_from` is required');
    if (body.message !== undefined && body.messages !== undefined)
      complain('messages', '`message` and `messages` exclude each other');
    if (body.attachments !== undefined && body.message === undefined)
      complain('attachments', '`attachments` require `message`; in `messages`, images are parts of a message');
    if (body.temporary && (body.message === undefined || body.session_id !== undefined))
      complain('temporary', 'is only for a `message` that creates a session');
    if (body.custom_instructions && body.messages !== undefined)
      complain('custom_instructions', 'is only for sessions; put the text into a system message');
    if (body.messages !== undefined && body.session_id !== undefined)
      complain('session_id', '`messages` cannot be used with a session');
    for (const issue of [...toolIssues(body), ...toolMessageIssues(body.messages ?? [])])
      context.addIssue({ code: 'custom', ...issue });
  });
export type ChatRequest = z.infer<typeof chatRequest>;

/** An execution that OpenAI's clients can read as a `chat.completion`. */
export const chatExecution = execution.extend({
  object: z.literal('chat.completion'),
  created: z.int().describe('Unix seconds'),
  choices: z.array(answerChoice).max(1),
  usage: completionUsage,
  error: errorBody.nullable(),
});
export type ChatExecution = z.infer<typeof chatExecution>;

function asCompletion(execution: Execution, finish_reason: string | null): ChatExecution {
  return {
    ...execution,
    object: 'chat.completion',
    created: Math.floor(Date.parse(execution.created_at) / 1_000),
    choices: execution.finished_at === null ? [] : [toChoice(execution.output, finish_reason)],
    usage: toCompletionUsage(execution.usage),
  };
}

/** A chat turn in a batch, which runs without a session. */
const batchItem = chatRequest.superRefine((body, context) => {
  const complain = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
  if (body.messages === undefined) complain('messages', 'is required in a batch');
  for (const name of ['message', 'session_id', 'regenerate_from', 'tool_outputs'] as const)
    if (body[name] !== undefined) complain(name, 'belongs to a session; use `messages` in a batch');
});

/** A turn with tools on the server gets this many times the time limit. */
export const AGENT_TIME_FACTOR = 5;

/** A chat turn. Its messages are in the job, or in the session up to the user's message. */
export const chatCompletion = defineKind({
  kind: 'chat.completion',
  surface: 'chat',
  pool: 'text',
  label: 'Answer',
  path: '/chat/completions',
  route: {
    summary: 'Run a chat turn',
    description:
      'With `message`, the turn belongs to a session (a new one, unless `session_id` names one). With `messages`, it is an OpenAI-compatible request without a session. ' +
      'With `regenerate_from`, a message of a session is answered again. ' +
      'With `tool_outputs`, the results of the tool calls of its last answer continue the turn. ' +
      "Unsupported fields that would change the answer are refused with 400; harmless ones are ignored and listed in `X-Ignored-Fields`. An agent (`X-Agent-ID`, else the session's) provides instructions, and defaults for the request. " +
      'With `knowledge`, or an agent that has `knowledge_tags`, the answer cites your documents: `[1]` in the text, and a `citation` output item for each.',
    answer: chatExecution,
    answerHeaders: { 'X-Ignored-Fields': 'Names of ignored fields.' },
    // The last two are errors of the execution, for waited requests with `messages`.
    refuses: ['not_found', 'provider_error', 'timeout'],
  },
  request: chatRequest,
  // Not strict, so that workers accept jobs of a newer API during an upgrade.
  input: z.object({
    /** `provider/model` */
    model: z.string(),
    settings: chatSettings,
    /** The agent's instructions when the turn started. */
    instructions: z.string().optional(),
    /** Fallback models, in order. Absent: the configured ones. */
    fallbacks: z.array(z.string()).max(MAX_FALLBACKS).optional(),
    /** Tools that the worker runs, and the limits of the turn. Absent: none. */
    agent: agentTurn.optional(),
    /** Documents that the answer may use. Absent: none. */
    knowledge: knowledgeUse.optional(),
    source: z.discriminatedUnion('type', [
      /** OpenAI's form. Its clients can't discard text, so no other attempt takes over once text was sent. */
      z.object({ type: z.literal('messages'), messages: z.array(chatMessage).max(MAX_MESSAGES) }),
      z.object({
        type: z.literal('session'),
        session_id: z.string(),
        user_message_id: z.string(),
        assistant_message_id: z.string(),
        tool_message_ids: z.array(z.string()).max(MAX_TOOL_OUTPUTS).optional(),
        /** The user's message, if the turn creates its session and no earlier messages need to be read. */
        opening: z.string().optional(),
        /** The title that the turn gave its session: the start of its message. Absent: the session had one. */
        titled: z.string().optional(),
      }),
    ]),
  }),
  output: answerItem,
  subjectOf: ({ source }) => {
    if (source?.type !== 'messages') return source?.opening;
    const question = source.messages.findLast(({ role }) => role === 'user');
    return question && messageText(question);
  },
  capability: 'chat',
  // Tools run here, and may take longer than the model.
  usesPlace: ({ agent }) => agent !== undefined,
  timeoutMs: 120_000,
  timeFactor: ({ agent }) => (agent === undefined ? 1 : AGENT_TIME_FACTOR),
  // The worker reads the earlier messages of a session, and reserves what they and further steps cost.
  demand: ({ model, fallbacks = [], instructions, settings: { tools, max_tokens }, source }) => ({
    of: 'tokens',
    models: [model, ...fallbacks],
    input: mostTokens([instructions ?? '', tools ?? [], source.type === 'messages' ? source.messages : source.opening]),
    output: max_tokens ?? null,
  }),
  turnOf: ({ source }) => (source?.type === 'session' ? source : null),
  openAi: {
    chunk: 'chat.completion.chunk',
    present: asCompletion,
    isStrict: ({ source }) => source?.type === 'messages',
  },
  economy: {
    refuses: ({ knowledge }) => (knowledge == null ? null : 'knowledge'),
    fits: ({ agent, knowledge, source }) =>
      agent === undefined && knowledge === undefined && source.type === 'messages',
  },
  batchable: batchItem,
});
export type ChatCompletionInput = z.infer<typeof chatCompletion.input>;
