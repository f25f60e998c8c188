import type { ChatMessage, ChatSettings, Usage } from '@chorus/contract';

export interface CallOptions {
  /** Ends the call, which throws the signal's reason. */
  signal: AbortSignal;
  /** Users waiting for the same engine take turns. */
  user?: string | undefined;
}

export interface ChatCall {
  messages: ChatMessage[];
  settings: ChatSettings;
}

/** A piece of an answer: texts, none of them empty, then exactly one finish. */
export type ChatPart =
  | { type: 'text'; text: string }
  | { type: 'finish'; finish_reason: 'stop' | 'length'; usage: Usage };

/** Counts tokens of a local model, which has no price. */
export function unpriced(input = 0, output = 0): Usage {
  return { input_tokens: input, output_tokens: output, total_tokens: input + output, cost_usd: null };
}
