import {
  isAnswerDelta,
  type LogEvent,
  type OutputItem,
  presentUsage,
  toChoice,
  toChunkDelta,
  toCompletionUsage,
  toLastDelta,
} from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { DONE } from '../responses/event-stream.ts';
import { errorFrame } from '../responses/openai-style.ts';

/** Returns the id of a chat completion. */
export const completionId = ({ id }: ExecutionRecord) => id.replace(/^job_/, 'chatcmpl-');

export const createdAt = ({ created_at }: ExecutionRecord) => Math.floor(created_at.getTime() / 1_000);

/** Returns the usage with OpenAI's fields only. */
export function usageOf({ usage }: ExecutionRecord) {
  const { prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details, completion_tokens_details } =
    toCompletionUsage(presentUsage(usage));
  return { prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details, completion_tokens_details };
}

/** Writes a chat turn as OpenAI's stream: only chunks, then `[DONE]`. */
export class ChatFrames {
  /** A chunk up to `choices`. */
  readonly #head: string;
  readonly #includesUsage: boolean;
  #roleSent = false;

  constructor(record: ExecutionRecord, includesUsage: boolean) {
    const head = { id: completionId(record), object: 'chat.completion.chunk', created: createdAt(record) };
    this.#head = `${JSON.stringify({ ...head, model: record.model }).slice(0, -1)},`;
    this.#includesUsage = includesUsage;
  }

  /** Formats an event before the terminal one. Empty: it is not part of the answer. */
  running(event: LogEvent): string {
    if (!isAnswerDelta(event)) return '';
    const found = event.type === 'text.delta' && event.logprobs !== undefined;
    const logprobs = found ? { content: event.logprobs, refusal: null } : null;
    return this.#chunk(JSON.stringify(toChunkDelta(event)), null, logprobs);
  }

  /** Formats the end, with the whole answer if none of it was sent. */
  terminal(record: ExecutionRecord): string {
    if (record.status !== 'succeeded') return errorFrame(record) + DONE;
    // A whole answer already has the signatures. Clients would append or refuse repeated ones.
    const [whole, last] = this.#roleSent ? ['', toLastDelta(record.output)] : [this.#whole(record.output), {}];
    let text = whole + this.#chunk(JSON.stringify(last), record.finish_reason ?? 'stop', null);
    if (this.#includesUsage) text += `data: ${this.#head}"choices":[],"usage":${JSON.stringify(usageOf(record))}}\n\n`;
    return text + DONE;
  }

  #whole(output: readonly OutputItem[]): string {
    const { message, logprobs } = toChoice(output, null);
    const { role: _, tool_calls: calls, ...rest } = message;
    const tool_calls = calls?.map((call, index) => ({ index, ...call }));
    return this.#chunk(JSON.stringify({ ...rest, ...(tool_calls && { tool_calls }) }), null, logprobs);
  }

  /** @param delta a JSON object, to which the first chunk adds the role */
  #chunk(delta: string, finishReason: string | null, logprobs: object | null): string {
    const role = this.#roleSent ? '' : `"role":"assistant"${delta === '{}' ? '' : ','}`;
    this.#roleSent = true;
    const choice = `{"index":0,"delta":{${role}${delta.slice(1)},"logprobs":${JSON.stringify(logprobs)},"finish_reason":${JSON.stringify(finishReason)}}`;
    return `data: ${this.#head}"choices":[${choice}]${this.#includesUsage ? ',"usage":null' : ''}}\n\n`;
  }
}
