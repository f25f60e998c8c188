import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from '@ai-sdk/provider';
import type { TokenLogprob } from '@chorus/contract';
import { z } from 'zod';
import type { ChatDialect } from './chat-dialect.ts';
import type { ChatPart } from './provider-port.ts';
import { metadataOf, type PartMetadata, writeSignature } from './signature.ts';

type StreamPart<T extends LanguageModelV4StreamPart['type']> = Extract<LanguageModelV4StreamPart, { type: T }>;

interface Block {
  hasText: boolean;
  pad: number;
  at: [number, number];
  meta: PartMetadata;
}

interface Call {
  index: number;
  id: string;
  name: string;
  hasArguments: boolean;
}

/** Separates two blocks of reasoning. */
const PAD = '\n\n';

/** Converts the parts of a package's stream, other than plain text, to parts of the answer. */
export class PartReader {
  /** Number of characters of text so far. */
  textLength = 0;
  readonly #model: string;
  readonly #dialect: ChatDialect;
  readonly #blocks = new Map<string, Block>();
  readonly #calls = new Map<string, Call>();
  #reasoned = false;
  #logprobs: TokenLogprob[] = [];

  constructor(model: string, dialect: ChatDialect) {
    this.#model = model;
    this.#dialect = dialect;
  }

  get calls(): number {
    return this.#calls.size;
  }

  /** Returns text with the log probabilities that came with it. */
  text(text: string): ChatPart {
    this.textLength += text.length;
    if (this.#logprobs.length === 0) return { type: 'text', text };
    const logprobs = this.#logprobs;
    this.#logprobs = [];
    return { type: 'text', text, logprobs };
  }

  read(part: LanguageModelV4StreamPart): ChatPart | null {
    switch (part.type) {
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        return this.#reasoning(part);
      case 'tool-input-start':
        return part.providerExecuted ? null : this.#call(this.#begin(part.id, part.toolName), '');
      case 'tool-input-delta': {
        const call = this.#calls.get(part.id);
        return call === undefined || part.delta === '' ? null : this.#call(call, part.delta);
      }
      case 'tool-call':
        return part.providerExecuted ? null : this.#wholeCall(part);
      case 'raw':
        this.#logprobs.push(...logprobsOf(part.rawValue));
        return null;
      default:
        return null;
    }
  }

  /** Returns log probabilities that no text followed. */
  end(): ChatPart | null {
    return this.#logprobs.length === 0 ? null : this.text('');
  }

  #reasoning(part: StreamPart<'reasoning-start' | 'reasoning-delta' | 'reasoning-end'>): ChatPart | null {
    const block = this.#blocks.get(part.id) ?? this.#open(part.id);
    Object.assign(block.meta, this.#metaOf(part.providerMetadata));
    if (part.type === 'reasoning-start') return null;
    if (part.type === 'reasoning-end') {
      this.#blocks.delete(part.id);
      return this.#sign(block);
    }
    if (part.delta === '') return null;
    this.#logprobs = []; // those of reasoning are not shown
    if (block.hasText) return { type: 'reasoning', text: part.delta };
    block.hasText = true;
    block.pad = this.#reasoned ? PAD.length : 0;
    this.#reasoned = true;
    return { type: 'reasoning', text: block.pad > 0 ? PAD + part.delta : part.delta };
  }

  #open(id: string): Block {
    const block: Block = { hasText: false, pad: 0, at: [this.textLength, this.#calls.size], meta: {} };
    this.#blocks.set(id, block);
    return block;
  }

  #sign({ meta, pad, at, hasText }: Block): ChatPart | null {
    const signs = this.#dialect.reasoning === 'own' ? hasText : Object.keys(meta).length > 0;
    if (!signs) return null;
    const placed = at[0] > 0 || at[1] > 0;
    const signature = writeSignature(this.#model, { meta, ...(pad > 0 && { pad }), ...(placed && { at }) });
    return { type: 'reasoning', text: '', signature };
  }

  #metaOf(given: SharedV4ProviderMetadata | undefined): PartMetadata {
    return given === undefined ? {} : metadataOf(given[this.#dialect.namespace]);
  }

  #begin(id: string, name: string): Call {
    const call = { index: this.#calls.size, id, name, hasArguments: false };
    this.#calls.set(id, call);
    return call;
  }

  #call(call: Call, text: string): ChatPart {
    const { index, id, name } = call;
    call.hasArguments ||= text !== '';
    return { type: 'tool_call', index, id, name, arguments: text };
  }

  /** Shows anything that the deltas did not: the arguments of a call that was not streamed, and its signature. */
  #wholeCall({ toolCallId, toolName, input, providerMetadata }: StreamPart<'tool-call'>): ChatPart | null {
    const call = this.#calls.get(toolCallId) ?? this.#begin(toolCallId, toolName);
    const { thoughtSignature } = this.#metaOf(providerMetadata);
    const rest = call.hasArguments ? '' : input;
    if (thoughtSignature === undefined) return rest === '' ? null : this.#call(call, rest);
    const signature = writeSignature(this.#model, { meta: { thoughtSignature } });
    return { ...(this.#call(call, rest) as Extract<ChatPart, { type: 'tool_call' }>), signature };
  }
}

const MAX_LOGPROBS = 1_000;
const token = {
  token: z.string(),
  logprob: z.number(),
  bytes: z
    .array(z.int())
    .max(64)
    .nullish()
    .transform((bytes) => bytes ?? null),
};
const logprobs = z
  .array(
    z.object({
      ...token,
      top_logprobs: z
        .array(z.object(token))
        .max(20)
        .nullish()
        .transform((top) => top ?? []),
    }),
  )
  .max(MAX_LOGPROBS);
const rawChunk = z.union([
  z
    .object({ choices: z.tuple([z.object({ logprobs: z.object({ content: logprobs }) })]) })
    .transform(({ choices: [choice] }) => choice.logprobs.content),
  z.object({ type: z.literal('response.output_text.delta'), logprobs }).transform(({ logprobs }) => logprobs),
]);

/** Finds log probabilities in a chunk of chat completions or of the Responses API. */
function logprobsOf(raw: unknown): TokenLogprob[] {
  return rawChunk.safeParse(raw).data ?? [];
}
