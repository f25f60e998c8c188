import { estimatePrompt } from '@chorus/conversations';
import type { CountedBody } from './message-body.ts';
import { toFunctions } from './offered-tools.ts';
import { toConversation } from './to-conversation.ts';

/** Returns an upper estimate of the tokens of a request's input. */
export function estimateInput(body: CountedBody): number {
  return estimatePrompt({ messages: toConversation(body), tools: toFunctions(body) });
}
