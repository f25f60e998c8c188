import type { ChatMessage, FunctionTool } from '@chorus/contract';

/** Conservative estimate: English has 4 to 5 bytes of UTF-8 per token, code and other scripts about 3. */
export const BYTES_PER_TOKEN = 3;

/** Overhead of each message, and of each tool call. */
const TOKENS_PER_MESSAGE = 4;

/** Typical cost of an image. Models count several hundred to several thousand tokens. */
export const TOKENS_PER_ATTACHMENT = 1_500;

/** Returns an upper estimate of a text's tokens. Models differ, so no tokenizer is used. */
export function estimateTokens(text: string): number {
  return estimateTokensOf(Buffer.byteLength(text));
}

/** Like `estimateTokens`, from the length in UTF-8. */
export function estimateTokensOf(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN) + TOKENS_PER_MESSAGE;
}

/** Returns an upper estimate of the tokens of a conversation, with the tools that the model may call. */
export function estimatePrompt({
  messages,
  tools,
}: {
  messages: readonly ChatMessage[];
  tools?: readonly FunctionTool[] | undefined;
}): number {
  const offered = tools === undefined ? 0 : estimateTokens(JSON.stringify(tools));
  return messages.reduce((sum, message) => sum + tokensOf(message), offered);
}

function tokensOf(message: ChatMessage): number {
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  const ofCalls = calls.reduce((sum, call) => sum + estimateTokens(call.function.name + call.function.arguments), 0);
  const { content } = message;
  if (typeof content === 'string') return ofCalls + estimateTokens(content);
  const ofParts = (content ?? []).map((part) => {
    if (part.type === 'text') return estimateTokens(part.text);
    return part.type === 'refusal' ? estimateTokens(part.refusal) : TOKENS_PER_ATTACHMENT;
  });
  return ofParts.reduce((sum, tokens) => sum + tokens, ofCalls);
}
