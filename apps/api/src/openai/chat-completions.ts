import {
  answerChoice,
  answerMessage,
  chatRequest,
  completionUsage,
  MAX_MESSAGES,
  openAiError,
  openAiMessage,
  toChoice,
  toolIssues,
  toolMessageIssues,
} from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { z } from 'zod';
import { never } from '../protocols/check-fields.ts';
import { defineEndpoint } from '../protocols/define-endpoint.ts';
import { streamAnswer } from '../protocols/stream-answer.ts';
import { ChatFrames, completionId, createdAt, usageOf } from './chat-frames.ts';

const { message, session_id, attachments, regenerate_from, tool_outputs, knowledge, webhook_url, ...shared } =
  chatRequest.shape;

const body = z
  .looseObject({
    ...shared,
    messages: z.array(openAiMessage).min(1).max(MAX_MESSAGES),
    stream_options: z
      .looseObject({ include_usage: z.boolean().nullish() })
      .nullish()
      .describe('`include_usage`: whether the stream ends with a chunk that has the usage.'),
  })
  .superRefine((request, context) => {
    for (const issue of [...toolIssues(request), ...toolMessageIssues(request.messages)])
      context.addIssue({ code: 'custom', ...issue });
  });

const common = { id: z.string(), created: z.int().describe('Unix seconds'), model: z.string() };
const usage = completionUsage.pick({
  prompt_tokens: true,
  completion_tokens: true,
  total_tokens: true,
  prompt_tokens_details: true,
  completion_tokens_details: true,
});
const delta = answerMessage.extend({ role: z.literal('assistant').optional() }).partial();
const chunk = z.object({
  ...common,
  object: z.literal('chat.completion.chunk'),
  choices: z.array(answerChoice.omit({ message: true }).extend({ delta })).max(1),
  usage: usage.nullish(),
});

export const chatCompletions = defineEndpoint({
  kind: 'chat.completion',
  path: '/chat/completions',
  summary: 'Complete a chat',
  description:
    'A chat without a session: only `messages`. Fields of sessions and documents are refused. ' +
    'A failure before the first word is an error response, also of a stream; later, the stream ends with an `error`.',
  body,
  refused: {
    message: never,
    session_id: never,
    attachments: never,
    regenerate_from: never,
    tool_outputs: never,
    knowledge: never,
    webhook_url: never,
  },
  planChecksFields: true,
  answer: z.object({
    ...common,
    object: z.literal('chat.completion'),
    choices: z.array(answerChoice).max(1),
    usage,
  }),
  streams: z.union([chunk, z.object({ error: openAiError })]),
  translate: ({ stream_options, ...request }) => ({ ...request, stream: request.stream === true }),
  presenter: () => presentCompletion,
  batch: { keeps: [], present: presentCompletion },
  streamer: ({ stream, stream_options }) => {
    if (stream !== true) return null;
    const includesUsage = stream_options?.include_usage === true;
    return (context, record, reader) => streamAnswer(context, record, reader, new ChatFrames(record, includesUsage));
  },
});

function presentCompletion(record: ExecutionRecord) {
  return {
    id: completionId(record),
    object: 'chat.completion',
    created: createdAt(record),
    model: record.model,
    choices: [toChoice(record.output, record.finish_reason ?? 'stop')],
    usage: usageOf(record),
  };
}
