import { type LanguageModelV4FinishReason, type LanguageModelV4Usage, TypeValidationError } from '@ai-sdk/provider';
import { z } from 'zod';
import { otherThan, typesOf } from './open-union.ts';
import { streamError } from './stream-error.ts';
import type { MakeWire, Wire, WirePart } from './wire.ts';

/** Reads the events of Anthropic's messages, apart from what its own tools do. */
export const anthropicMessages: MakeWire = () => new AnthropicMessages();

const count = z.number();
const usage = z
  .looseObject({
    input_tokens: count.nullish(),
    output_tokens: count.nullish(),
    cache_read_input_tokens: count.nullish(),
    cache_creation_input_tokens: count.nullish(),
    output_tokens_details: z.looseObject({ thinking_tokens: count.nullish() }).nullish(),
  })
  .nullish()
  .transform((given) => given ?? {});
const index = z.number();
const block = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string().nullish() }),
  z.object({ type: z.literal('thinking') }),
  z.object({ type: z.literal('redacted_thinking'), data: z.string() }),
  z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.looseObject({}).nullish() }),
]);
const delta = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text_delta'), text: z.string() }),
  z.object({ type: z.literal('thinking_delta'), thinking: z.string() }),
  z.object({ type: z.literal('signature_delta'), signature: z.string() }),
  z.object({ type: z.literal('input_json_delta'), partial_json: z.string() }),
]);
const event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('content_block_delta'), index, delta: z.union([delta, otherThan(delta)]) }),
  z.object({ type: z.literal('content_block_start'), index, content_block: z.union([block, otherThan(block)]) }),
  z.object({ type: z.literal('content_block_stop'), index }),
  z.object({ type: z.literal('message_start'), message: z.object({ usage }) }),
  z.object({
    type: z.literal('message_delta'),
    delta: z.object({
      stop_reason: z.string().nullish(),
      stop_sequence: z.string().nullish(),
      stop_details: z.looseObject({ explanation: z.string().nullish() }).nullish(),
    }),
    usage,
  }),
  z.object({ type: z.literal('message_stop') }),
  z.object({ type: z.literal('error'), error: z.looseObject({ type: z.string(), message: z.string() }) }),
]);
const READ = typesOf(event);

type Block = z.infer<typeof block>;
type Delta = z.infer<typeof delta>;
type ToolUse = Extract<Block, { type: 'tool_use' }>;

const REASONS: Record<string, LanguageModelV4FinishReason['unified']> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  refusal: 'content-filter',
  tool_use: 'tool-calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
};

class AnthropicMessages implements Wire {
  onlyText: string | null = null;
  #textId = '';
  readonly #open = new Map<number, Block>();
  /** The input of calls so far. */
  readonly #inputs = new Map<number, string>();
  #finish: LanguageModelV4FinishReason = { unified: 'other', raw: undefined };
  #explanation: string | undefined;
  #stopSequence: string | undefined;
  #usage: z.infer<typeof usage> = {};

  read(given: unknown, parts: WirePart[]): void {
    this.onlyText = null;
    const type = (given as { type?: unknown } | null)?.type;
    // Clients must ignore new types of events.
    if (typeof type === 'string' && !READ.has(type)) return;
    const parsed = event.safeParse(given);
    if (!parsed.success) throw new TypeValidationError({ value: given, cause: parsed.error });
    const { data } = parsed;
    switch (data.type) {
      case 'content_block_delta':
        if (data.delta !== null) this.#delta(data.index, data.delta, parts);
        return;
      case 'content_block_start':
        if (data.content_block !== null) this.#start(data.index, data.content_block, parts);
        return;
      case 'content_block_stop':
        this.#stop(data.index, parts);
        return;
      case 'message_start':
        this.#count(data.message.usage);
        this.#usage.output_tokens = 0;
        return;
      case 'message_delta': {
        const raw = data.delta.stop_reason ?? undefined;
        this.#finish = { unified: REASONS[raw ?? ''] ?? 'other', raw };
        this.#explanation = data.delta.stop_details?.explanation ?? undefined;
        this.#stopSequence = data.delta.stop_sequence ?? undefined;
        this.#count(data.usage);
        return;
      }
      case 'message_stop':
        parts.push({
          type: 'finish',
          finishReason: this.#finish,
          usage: toTokens(this.#usage),
          providerMetadata: {
            anthropic: {
              ...(this.#explanation !== undefined && { stopDetails: { explanation: this.#explanation } }),
              ...(this.#stopSequence !== undefined && { stopSequence: this.#stopSequence }),
            },
          },
        });
        return;
      case 'error':
        throw streamError(data.error);
    }
  }

  readText(delta: string, parts: WirePart[]): void {
    parts.push({ type: 'text-delta', id: this.#textId, delta });
  }

  /** Adds nothing: a whole answer ends with its `message_stop`. */
  end(): void {}

  #start(at: number, started: Block, parts: WirePart[]): void {
    this.#open.set(at, started);
    const id = String(at);
    switch (started.type) {
      case 'text':
        if (started.text) parts.push({ type: 'text-delta', id, delta: started.text });
        return;
      case 'thinking':
        parts.push({ type: 'reasoning-start', id });
        return;
      case 'redacted_thinking':
        parts.push({ type: 'reasoning-start', id, ...metadataOf({ redactedData: started.data }) });
        return;
      case 'tool_use': {
        const { input } = started;
        this.#inputs.set(at, input != null && Object.keys(input).length > 0 ? JSON.stringify(input) : '');
        parts.push({ type: 'tool-input-start', id: started.id, toolName: started.name });
      }
    }
  }

  #delta(at: number, given: Delta, parts: WirePart[]): void {
    const id = String(at);
    switch (given.type) {
      case 'text_delta':
        this.#textId = id;
        this.onlyText = given.text;
        this.readText(given.text, parts);
        return;
      case 'thinking_delta':
        parts.push({ type: 'reasoning-delta', id, delta: given.thinking });
        return;
      case 'signature_delta':
        if (this.#open.get(at)?.type === 'thinking')
          parts.push({ type: 'reasoning-delta', id, delta: '', ...metadataOf({ signature: given.signature }) });
        return;
      case 'input_json_delta': {
        const call = this.#callAt(at);
        if (call === null) return;
        this.#inputs.set(at, (this.#inputs.get(at) ?? '') + given.partial_json);
        parts.push({ type: 'tool-input-delta', id: call.id, delta: given.partial_json });
      }
    }
  }

  #stop(at: number, parts: WirePart[]): void {
    const call = this.#callAt(at);
    if (call !== null) {
      const input = this.#inputs.get(at) || '{}';
      parts.push({ type: 'tool-call', toolCallId: call.id, toolName: call.name, input });
    } else if (this.#open.get(at)?.type.endsWith('thinking')) parts.push({ type: 'reasoning-end', id: String(at) });
    this.#open.delete(at);
    this.#inputs.delete(at);
  }

  #callAt(at: number): ToolUse | null {
    const found = this.#open.get(at);
    return found?.type === 'tool_use' ? found : null;
  }

  /** Later counts replace earlier ones. */
  #count(given: z.infer<typeof usage>): void {
    const known = Object.entries(given).filter(([, value]) => value != null);
    this.#usage = { ...this.#usage, ...Object.fromEntries(known) };
  }
}

const metadataOf = (meta: Record<string, string>) => ({ providerMetadata: { anthropic: meta } });

function toTokens(given: z.infer<typeof usage>): LanguageModelV4Usage {
  const input = given.input_tokens ?? 0;
  const read = given.cache_read_input_tokens ?? 0;
  const written = given.cache_creation_input_tokens ?? 0;
  const output = given.output_tokens ?? 0;
  const reasoning = given.output_tokens_details?.thinking_tokens ?? undefined;
  return {
    inputTokens: { total: input + read + written, noCache: input, cacheRead: read, cacheWrite: written },
    outputTokens: { total: output, text: reasoning === undefined ? undefined : output - reasoning, reasoning },
    raw: given as LanguageModelV4Usage['raw'],
  };
}
