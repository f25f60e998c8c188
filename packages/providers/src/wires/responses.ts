import { type LanguageModelV4FinishReason, type LanguageModelV4Usage, TypeValidationError } from '@ai-sdk/provider';
import { z } from 'zod';
import { otherThan, typesOf } from './open-union.ts';
import { type SentError, streamError } from './stream-error.ts';
import type { MakeWire, Wire, WirePart } from './wire.ts';

/** Reads the events of OpenAI's Responses API. @param tools the names of the tools on offer */
export const responses =
  (tools: readonly string[]): MakeWire =>
  (raw) =>
    new Responses(tools, raw);

const output_index = z.number();
const at = { item_id: z.string(), output_index: output_index.nullish() };
const ofSummary = { ...at, summary_index: z.number() };
const item = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message'), id: z.string() }),
  z.object({
    type: z.literal('function_call'),
    call_id: z.string(),
    name: z.string(),
    arguments: z
      .string()
      .nullish()
      .transform((given) => given ?? ''),
  }),
  z.object({ type: z.literal('reasoning'), id: z.string(), encrypted_content: z.string().nullish() }),
]);
/** Items of other types, such as hosted tools, are not shown. */
const anyItem = z.union([item, otherThan(item)]);
const count = z.number();
const usage = z
  .looseObject({
    input_tokens: count.nullish(),
    output_tokens: count.nullish(),
    input_tokens_details: z
      .looseObject({ cached_tokens: count.nullish(), cache_write_tokens: count.nullish() })
      .nullish(),
    output_tokens_details: z.looseObject({ reasoning_tokens: count.nullish() }).nullish(),
  })
  .nullish();
const ended = z.object({
  error: z.looseObject({ message: z.string(), code: z.unknown().optional() }).nullish(),
  incomplete_details: z.object({ reason: z.string().nullish() }).nullish(),
  usage,
});
const event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('response.output_text.delta'), delta: z.string() }),
  z.object({ type: z.literal('response.refusal.delta'), delta: z.string() }),
  z.object({ type: z.literal('response.function_call_arguments.delta'), output_index, delta: z.string() }),
  z.object({ type: z.literal('response.reasoning_summary_part.added'), ...ofSummary }),
  z.object({ type: z.literal('response.reasoning_summary_text.delta'), ...ofSummary, delta: z.string() }),
  z.object({ type: z.literal('response.reasoning_summary_part.done'), ...ofSummary }),
  z.object({ type: z.literal('response.output_item.added'), output_index, item: anyItem }),
  z.object({ type: z.literal('response.output_item.done'), output_index, item: anyItem }),
  z.object({ type: z.literal('response.completed'), response: ended }),
  z.object({ type: z.literal('response.incomplete'), response: ended }),
  z.object({ type: z.literal('response.failed'), response: ended }),
]);
const READ = typesOf(event);

type Item = z.infer<typeof item>;
type FunctionCall = Extract<Item, { type: 'function_call' }>;
type Ended = z.infer<typeof ended>;

interface Summary {
  encrypted: string | null;
  /** Whether each part is complete. All but the last part end at once; the last ends with the item. */
  parts: Map<number, boolean>;
}

class Responses implements Wire {
  readonly #tools: readonly string[];
  readonly #raw: boolean;
  /** By `output_index`, as some servers change the ids of items. */
  readonly #ids = new Map<number, string>();
  readonly #calls = new Map<number, FunctionCall>();
  readonly #summaries = new Map<string, Summary>();
  #called = false;
  #refused = false;
  #finish: LanguageModelV4FinishReason = { unified: 'interrupted', raw: undefined };
  #usage: z.infer<typeof usage>;

  constructor(tools: readonly string[], raw: boolean) {
    this.#tools = tools;
    this.#raw = raw;
  }

  ignores(name: string): boolean {
    return name.startsWith('response.') && !READ.has(name);
  }

  read(given: unknown, parts: WirePart[]): void {
    if (this.#raw) parts.push({ type: 'raw', rawValue: given });
    const { type, error } = (given ?? {}) as { type?: unknown; error?: SentError | null };
    if (type === 'error') throw streamError(error ?? (given as SentError));
    if (typeof type === 'string' && !READ.has(type)) return;
    const parsed = event.safeParse(given);
    if (!parsed.success) throw new TypeValidationError({ value: given, cause: parsed.error });
    this.#read(parsed.data, parts);
  }

  end(parts: WirePart[]): void {
    parts.push({ type: 'finish', finishReason: this.#finish, usage: toTokens(this.#usage) });
  }

  #read(given: z.infer<typeof event>, parts: WirePart[]): void {
    switch (given.type) {
      case 'response.output_text.delta':
        parts.push({ type: 'text-delta', id: 'text', delta: given.delta });
        return;
      case 'response.refusal.delta':
        this.#refused = true;
        parts.push({ type: 'refusal-delta', delta: given.delta });
        return;
      case 'response.function_call_arguments.delta': {
        const call = this.#calls.get(given.output_index);
        if (call !== undefined && !this.#wraps(call))
          parts.push({ type: 'tool-input-delta', id: call.call_id, delta: given.delta });
        return;
      }
      case 'response.reasoning_summary_part.added':
        this.#addSummary(this.#idOf(given), given.summary_index, parts);
        return;
      case 'response.reasoning_summary_text.delta': {
        const id = this.#idOf(given);
        const { delta, summary_index } = given;
        parts.push({ type: 'reasoning-delta', id: `${id}:${summary_index}`, delta, ...metadataOf(id) });
        return;
      }
      case 'response.reasoning_summary_part.done':
        this.#summaries.get(this.#idOf(given))?.parts.set(given.summary_index, true);
        return;
      case 'response.output_item.added':
        if (given.item !== null) this.#open(given.item, given.output_index, parts);
        return;
      case 'response.output_item.done':
        if (given.item !== null) this.#close(given.item, given.output_index, parts);
        return;
      case 'response.failed':
        if (given.response.error != null) throw streamError(given.response.error);
    }
    this.#end(given.response, given.type === 'response.failed');
  }

  #open(opened: Item, index: number, parts: WirePart[]): void {
    if (opened.type === 'function_call') {
      this.#calls.set(index, opened);
      if (!this.#wraps(opened)) parts.push({ type: 'tool-input-start', id: opened.call_id, toolName: opened.name });
      return;
    }
    this.#ids.set(index, opened.id);
    if (opened.type === 'message') return;
    const encrypted = opened.encrypted_content ?? null;
    this.#summaries.set(opened.id, { encrypted, parts: new Map([[0, false]]) });
    parts.push({ type: 'reasoning-start', id: `${opened.id}:0`, ...metadataOf(opened.id, encrypted) });
  }

  #close(closed: Item, index: number, parts: WirePart[]): void {
    if (closed.type === 'function_call') {
      this.#calls.delete(index);
      this.#called = true;
      for (const { call_id, name, arguments: input } of this.#unwrapped(closed)) {
        if (this.#wraps(closed)) parts.push({ type: 'tool-input-start', id: call_id, toolName: name });
        parts.push({ type: 'tool-call', toolCallId: call_id, toolName: name, input });
      }
      return;
    }
    const id = this.#ids.get(index) ?? closed.id;
    this.#ids.delete(index);
    if (closed.type === 'message') return;
    for (const part of this.#summaries.get(id)?.parts.keys() ?? [])
      parts.push({ type: 'reasoning-end', id: `${id}:${part}`, ...metadataOf(id, closed.encrypted_content ?? null) });
    this.#summaries.delete(id);
  }

  #addSummary(id: string, index: number, parts: WirePart[]): void {
    const summary = this.#summaries.get(id);
    if (summary === undefined || index === 0) return;
    for (const [part, complete] of summary.parts) {
      if (!complete) continue;
      summary.parts.delete(part);
      parts.push({ type: 'reasoning-end', id: `${id}:${part}`, ...metadataOf(id) });
    }
    summary.parts.set(index, false);
    parts.push({ type: 'reasoning-start', id: `${id}:${index}`, ...metadataOf(id, summary.encrypted) });
  }

  #end({ incomplete_details, usage: used }: Ended, failed: boolean): void {
    const raw = incomplete_details?.reason ?? undefined;
    const unified =
      raw === 'max_output_tokens'
        ? 'length'
        : raw === 'content_filter'
          ? 'content-filter'
          : failed && raw === undefined
            ? 'error'
            : this.#called
              ? 'tool-calls'
              : raw !== undefined
                ? 'other'
                : this.#refused
                  ? 'content-filter'
                  : 'stop';
    this.#finish = { unified, raw };
    this.#usage = used;
  }

  #idOf({ item_id, output_index: index }: { item_id: string; output_index?: number | null | undefined }): string {
    return (index == null ? undefined : this.#ids.get(index)) ?? item_id;
  }

  /** Whether a call wraps others, as models sometimes do by mistake. */
  #wraps({ name }: FunctionCall): boolean {
    return name === WRAPPER && !this.#tools.includes(name);
  }

  #unwrapped(call: FunctionCall): FunctionCall[] {
    if (!this.#wraps(call)) return [call];
    const { data } = wrapped.safeParse(call.arguments);
    const calls = data?.tool_uses.map(({ recipient_name, parameters }, index) => ({
      ...call,
      call_id: `${call.call_id}_${index}`,
      name: recipient_name.slice(PREFIX.length),
      arguments: JSON.stringify(parameters),
    }));
    return calls?.every(({ name }) => this.#tools.includes(name)) ? calls : [call];
  }
}

const WRAPPER = 'parallel';
const PREFIX = 'functions.';
const wrapped = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue('not JSON');
      return z.NEVER;
    }
  })
  .pipe(
    z.object({
      tool_uses: z
        .array(z.object({ recipient_name: z.string().startsWith(PREFIX), parameters: z.looseObject({}) }))
        .min(1),
    }),
  );

/** Returns the data that OpenAI needs back with reasoning. */
function metadataOf(itemId: string, encrypted?: string | null) {
  return {
    providerMetadata: {
      openai: { itemId, ...(encrypted !== undefined && { reasoningEncryptedContent: encrypted }) },
    },
  };
}

function toTokens(given: z.infer<typeof usage>): LanguageModelV4Usage {
  const cached = given?.input_tokens_details?.cached_tokens ?? 0;
  const written = given?.input_tokens_details?.cache_write_tokens ?? undefined;
  const reasoning = given?.output_tokens_details?.reasoning_tokens ?? 0;
  const input = given?.input_tokens ?? 0;
  const output = given?.output_tokens ?? 0;
  return {
    inputTokens: { total: input, noCache: input - cached - (written ?? 0), cacheRead: cached, cacheWrite: written },
    outputTokens: { total: output, text: output - reasoning, reasoning },
    ...(given != null && { raw: given as LanguageModelV4Usage['raw'] }),
  };
}
