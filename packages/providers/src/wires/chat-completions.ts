import { type LanguageModelV4FinishReason, type LanguageModelV4Usage, TypeValidationError } from '@ai-sdk/provider';
import { StreamingToolCallTracker } from '@ai-sdk/provider-utils';
import { z } from 'zod';
import { type SentError, streamError } from './stream-error.ts';
import { ThinkTags } from './think-tags.ts';
import type { MakeWire, Wire, WirePart } from './wire.ts';

/** How a provider's chat completions differ from the others'. */
export interface ChatWireOptions {
  /** The key of its metadata, as in its dialect. */
  namespace: string;
  /** Its finish reasons besides the usual ones. */
  reasons?: Record<string, LanguageModelV4FinishReason['unified']>;
  /** Whether the type of an error in the stream implies an HTTP status. */
  errorsHaveStatus?: boolean;
  /** Whether the text may begin with thoughts in `<think>`. */
  thinksInText?: boolean;
}

/** Reads the events of OpenAI's chat completions, as many servers send them. */
export const chatCompletions =
  (options: ChatWireOptions): MakeWire =>
  (raw) =>
    new ChatCompletions(options, raw);

// An unreadable count must not fail an answer.
const count = z.number().nullish().catch(undefined);
const counts = z
  .looseObject({ cached_tokens: count, cache_write_tokens: count, reasoning_tokens: count })
  .nullish()
  .catch(undefined);
const usage = z
  .looseObject({
    prompt_tokens: count,
    completion_tokens: count,
    num_cached_tokens: count,
    prompt_tokens_details: counts,
    prompt_token_details: counts,
    completion_tokens_details: counts,
  })
  .nullish();
const text = z.string().nullish();
const signature = z.object({ google: z.object({ thought_signature: text }).nullish() }).nullish();
const functionDelta = z.object({
  name: text,
  // Some servers send an object.
  arguments: z.union([text, z.looseObject({}).transform((given) => JSON.stringify(given))]),
});
const callDelta = z.object({
  index: z.number().nullish(),
  id: text,
  function: functionDelta.nullish().transform((given) => given ?? {}),
  extra_content: signature,
});
const delta = z
  .object({
    content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).nullish(),
    refusal: z.unknown().optional(),
    reasoning_content: text,
    reasoning: text,
    tool_calls: z.array(callDelta).nullish(),
    // The only call, as sent before `tool_calls` existed.
    function_call: functionDelta.nullish(),
  })
  .nullish();
const event = z.object({
  // The last event may have nothing but the usage.
  choices: z.array(z.object({ delta, message: z.unknown().optional(), finish_reason: text })).nullish(),
  usage,
  x_groq: z.object({ usage }).nullish(),
});
type CallDelta = z.infer<typeof callDelta>;
type Delta = NonNullable<z.infer<typeof delta>>;

const REASONS: ChatWireOptions['reasons'] = {
  stop: 'stop',
  length: 'length',
  content_filter: 'content-filter',
  function_call: 'tool-calls',
  tool_calls: 'tool-calls',
  max_tokens: 'length',
  // Sent by OpenRouter, vLLM, and DeepSeek for interrupted answers, which must not look complete.
  error: 'error',
  abort: 'error',
  insufficient_system_resource: 'error',
};

/** There is one block of reasoning at a time, and one of text. */
const REASONING = 'reasoning-0';
const TEXT = 'text-0';

class ChatCompletions implements Wire {
  onlyText: string | null = null;
  readonly #options: ChatWireOptions;
  readonly #raw: boolean;
  readonly #calls: StreamingToolCallTracker<CallDelta>;
  /** Indexes of calls with a name, and calls without one so far. */
  readonly #named = new Set<number>();
  readonly #nameless = new Map<number, CallDelta>();
  /** Null: the text contains no thoughts, or no further ones. */
  #tags: ThinkTags | null;
  #parts: WirePart[] = [];
  #begun = false;
  #reasons = false;
  #refused = false;
  #reason: string | undefined;
  #usage: z.infer<typeof usage>;

  constructor(options: ChatWireOptions, raw: boolean) {
    this.#options = options;
    this.#raw = raw;
    this.#tags = options.thinksInText ? new ThinkTags() : null;
    this.#calls = new StreamingToolCallTracker(
      { enqueue: (part) => this.#parts.push(part) },
      {
        extractMetadata({ extra_content }) {
          const thoughtSignature = extra_content?.google?.thought_signature;
          return thoughtSignature ? { [options.namespace]: { thoughtSignature } } : undefined;
        },
        buildToolCallProviderMetadata: (metadata) => metadata,
      },
    );
  }

  read(given: unknown, parts: WirePart[]): void {
    this.#parts = parts;
    this.onlyText = null;
    if (this.#raw) parts.push({ type: 'raw', rawValue: given });
    const { data, error } = event.safeParse(given);
    const failure = (given as { error?: SentError | string | null } | null)?.error;
    if (typeof failure === 'object' && typeof failure?.message === 'string')
      throw this.#options.errorsHaveStatus ? streamError(failure) : failure;
    if (data === undefined || failure != null || (data.choices ?? data.usage) == null)
      throw new TypeValidationError({ value: given, cause: error });
    this.#usage = data.x_groq?.usage ?? data.usage ?? this.#usage;
    const choice = data.choices?.[0];
    if (choice === undefined) return;
    this.#reason = choice.finish_reason || this.#reason;
    // An answer that is not streamed has a message.
    const added = choice.delta ?? (this.#begun ? null : delta.safeParse(choice.message).data);
    this.#begun = true;
    if (added == null) return;
    this.#delta(added);
    if (data.x_groq == null && data.usage == null && !choice.finish_reason && !this.#raw) this.onlyText = textOf(added);
  }

  readText(given: string, parts: WirePart[]): void {
    this.#parts = parts;
    this.#text(given);
  }

  /** Many servers send no reason for a normal end, only the mark. */
  done(): void {
    if (this.#begun) this.#reason ??= 'stop';
  }

  end(parts: WirePart[]): void {
    this.#parts = parts;
    this.#endTags();
    this.#endReasoning();
    for (const call of this.#nameless.values()) this.#calls.processDelta(call);
    this.#calls.flush();
    parts.push({ type: 'finish', finishReason: this.#finishReason(), usage: toTokens(this.#usage) });
  }

  #delta({ content, refusal, reasoning_content, reasoning, tool_calls, function_call }: Delta): void {
    this.#reasoning(reasoning_content || reasoning || '');
    if (typeof content === 'string') this.#text(content);
    else
      for (const part of content ?? []) {
        if (part.type === 'text' && typeof part.text === 'string') this.#text(part.text);
        else if (part.type === 'thinking') this.#reasoning(thinkingOf(part.thinking));
      }
    if (typeof refusal === 'string' && refusal !== '') {
      this.#endReasoning();
      this.#refused = true;
      this.#parts.push({ type: 'refusal-delta', delta: refusal });
    }
    const calls = tool_calls?.length ? tool_calls : function_call ? [{ index: 0, function: function_call }] : [];
    if (calls.length === 0) return;
    this.#endTags();
    this.#endReasoning();
    for (const call of calls) this.#call(call);
  }

  #text(given: string): void {
    let delta = given;
    if (this.#tags !== null) {
      const { reasoning, text } = this.#tags.take(given);
      this.#reasoning(reasoning);
      if (this.#tags.done) this.#tags = null;
      delta = text;
    }
    this.#plainText(delta);
  }

  #endTags(): void {
    const { reasoning, text } = this.#tags?.end() ?? { reasoning: '', text: '' };
    this.#tags = null;
    this.#reasoning(reasoning);
    this.#plainText(text);
  }

  #plainText(delta: string): void {
    if (delta === '') return;
    this.#endReasoning();
    this.#parts.push({ type: 'text-delta', id: TEXT, delta });
  }

  #reasoning(delta: string): void {
    if (delta === '') return;
    if (!this.#reasons) this.#parts.push({ type: 'reasoning-start', id: REASONING });
    this.#reasons = true;
    this.#parts.push({ type: 'reasoning-delta', id: REASONING, delta });
  }

  #endReasoning(): void {
    if (this.#reasons) this.#parts.push({ type: 'reasoning-end', id: REASONING });
    this.#reasons = false;
  }

  /** Holds back a new call until its name is known, which some servers send late. */
  #call(call: CallDelta): void {
    const { index } = call;
    if (index == null || this.#named.has(index)) {
      this.#calls.processDelta(call);
      return;
    }
    const held = this.#nameless.get(index);
    const { name, arguments: more } = call.function;
    const joined: CallDelta = {
      index,
      id: held?.id ?? call.id,
      function: { name, arguments: (held?.function.arguments ?? '') + (more ?? '') },
      extra_content: held?.extra_content ?? call.extra_content,
    };
    if (!name?.trim()) this.#nameless.set(index, joined);
    else {
      this.#nameless.delete(index);
      this.#named.add(index);
      this.#calls.processDelta(joined);
    }
  }

  #finishReason(): LanguageModelV4FinishReason {
    const raw = this.#reason;
    if (raw === undefined) return { unified: 'interrupted', raw };
    // As in the packages, where OpenAI's `stop` after a refusal is a filter.
    if (raw === 'stop' && this.#refused) return { unified: 'content-filter', raw };
    return { unified: this.#options.reasons?.[raw] ?? REASONS?.[raw] ?? 'other', raw };
  }
}

/** Returns the text of a delta that has nothing else. */
function textOf({ content, refusal, reasoning_content, reasoning, tool_calls, function_call }: Delta): string | null {
  const hasMore = reasoning_content || reasoning || refusal || tool_calls?.length || function_call;
  return typeof content === 'string' && !hasMore ? content : null;
}

function thinkingOf(thinking: unknown): string {
  const pieces: { type?: unknown; text?: unknown }[] = Array.isArray(thinking) ? thinking : [];
  return pieces.map((piece) => (piece?.type === 'text' && typeof piece.text === 'string' ? piece.text : '')).join('');
}

function toTokens(given: z.infer<typeof usage>): LanguageModelV4Usage {
  const input = given?.prompt_tokens ?? 0;
  const output = given?.completion_tokens ?? 0;
  const details = given?.prompt_tokens_details ?? given?.prompt_token_details;
  const cached = given?.num_cached_tokens ?? details?.cached_tokens ?? 0;
  const written = details?.cache_write_tokens ?? undefined;
  const reasoning = given?.completion_tokens_details?.reasoning_tokens ?? 0;
  return {
    inputTokens: { total: input, noCache: input - cached - (written ?? 0), cacheRead: cached, cacheWrite: written },
    outputTokens: { total: output, text: Math.max(0, output - reasoning), reasoning },
    // Details that providers add are counted too.
    ...(given != null && { raw: given as LanguageModelV4Usage['raw'] }),
  };
}
