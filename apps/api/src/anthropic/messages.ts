import { anthropicError } from '@chorus/contract';
import { z } from 'zod';
import { never } from '../protocols/check-fields.ts';
import { defineEndpoint } from '../protocols/define-endpoint.ts';
import { streamAnswer } from '../protocols/stream-answer.ts';
import { type MessageBody, messageBody } from './message-body.ts';
import { MessageFrames } from './message-frames.ts';
import { anthropicMessage, presentMessage } from './present-message.ts';
import { estimateInput, renameFields, toChatRequest } from './to-chat-request.ts';

/** Returns whether to leave out what the model thinks. */
const hidesThinking = ({ thinking }: MessageBody) =>
  thinking != null && 'display' in thinking && thinking.display === 'omitted';

const streamEvent = z.looseObject({
  type: z
    .string()
    .describe(
      '`message_start`, `content_block_start`, `content_block_delta`, `content_block_stop`, `message_delta`, …',
    ),
});

export const createMessage = defineEndpoint({
  kind: 'chat.completion',
  at: 'anthropic',
  path: '/messages',
  summary: 'Create a message',
  description:
    'Works with every chat model. A failure before the first word is an error response, also of a stream; later, the ' +
    'stream ends with an `error` event.',
  body: messageBody,
  refused: {
    container: never,
    mcp_servers: never,
    output_format: never,
    thread: never,
    inference_geo: never,
    compaction: never,
  },
  // Claude Code sends an effort for every model.
  hints: ['reasoning_effort'],
  answer: anthropicMessage,
  streams: z.union([streamEvent, anthropicError]),
  translate: toChatRequest,
  renamer: renameFields,
  presenter: (asked) => {
    const hidden = hidesThinking(asked);
    return (record) => presentMessage(record, hidden);
  },
  streamer: (asked) => {
    if (asked.stream !== true) return null;
    const hidden = hidesThinking(asked);
    const inputTokens = estimateInput(asked);
    return (context, record, reader) => {
      const signatures = (context.agent?.tools ?? []).length === 0;
      const frames = new MessageFrames(record, { signatures, hidesThinking: hidden, inputTokens });
      return streamAnswer(context, record, reader, frames);
    };
  },
});
