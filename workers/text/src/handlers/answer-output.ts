import type { CitationItem, chatCompletion, ReasoningItem, TokenLogprob, ToolCallItem } from '@chorus/contract';
import { CitedText } from '@chorus/knowledge';
import type { Passage } from '@chorus/knowledge/answering';
import type { ChatPart } from '@chorus/providers';
import type { JobContext } from '@chorus/worker-kit';
import { AnswerRoom, AnswerText } from './answer-text.ts';

/** Sources that an answer may cite. */
export interface Sources {
  /** Ordered by number, from 1. */
  passages: readonly Passage[];
  /** Query of the search. */
  question: string;
}

export interface AnswerOptions {
  /** Without sources, brackets are plain text. */
  sources?: Sources | undefined;
  /** Leaves reasoning out, and shows a refusal as text. */
  textOnly?: boolean | undefined;
  /** For a step of an agent. */
  step?: StepOptions | undefined;
}

/** One of several answers of a turn. */
export interface StepOptions {
  /** Index of its first item. */
  first: number;
  /** Separates its text from earlier text. */
  separator: string;
  /** Shared with the other steps. */
  room: AnswerRoom;
}

type Emit = JobContext<typeof chatCompletion.kind>['emit'];
type Emitted = ReturnType<Emit>;
type Part<T extends ChatPart['type']> = Extract<ChatPart, { type: T }>;

/** Most tool calls of an answer. */
const MAX_CALLS = 256;

/** Approximate size of a token's log probability in JSON. */
const LOGPROB_BYTES = 64;

/** A call of an answer, as the model wrote it. */
export interface AnswerCallPart extends Pick<ToolCallItem, 'id' | 'name' | 'arguments'> {
  /** Empty: none. */
  signature: string;
}

interface Reasoning {
  index: number;
  pieces: AnswerText;
  text: string;
  signature: string;
}

interface Call extends Reasoning, Pick<ToolCallItem, 'id' | 'name'> {
  call: number;
}

/** Shows the parts of one answer as output items, which are numbered in the order in which they appear. */
export class AnswerOutput {
  readonly #emit: Emit;
  readonly #textOnly: boolean;
  readonly #room: AnswerRoom;
  readonly #cited: CitedText | null;
  readonly #text: AnswerText;
  readonly #refusal: AnswerText;
  readonly #separator: string;
  /** Whether calls are left to `calls()` instead of shown. */
  readonly #holdsCalls: boolean;
  /** The last block of reasoning. */
  #reasoning: Reasoning | null = null;
  /** By the number that the provider gives a call. */
  readonly #calls = new Map<number, Call>();
  readonly #roomBefore: number;
  #textAt: number | null = null;
  #refusalAt: number | null = null;
  #items = 0;
  /** Log probabilities of text that is held back. */
  #logprobs: TokenLogprob[] = [];

  constructor(emit: Emit, { sources, textOnly = false, step }: AnswerOptions) {
    this.#emit = emit;
    this.#room = step?.room ?? new AnswerRoom();
    this.#roomBefore = this.#room.left;
    this.#text = new AnswerText(this.#room);
    this.#refusal = new AnswerText(this.#room);
    this.#separator = step?.separator ?? '';
    this.#holdsCalls = step !== undefined;
    this.#items = step?.first ?? 0;
    this.#textOnly = textOnly;
    this.#cited = sources === undefined ? null : new CitedText(sources.passages, sources.question);
  }

  /** Whether the answer was truncated. */
  get full(): boolean {
    return this.#room.full;
  }

  /** Its length so far in UTF-8. */
  get bytes(): number {
    return this.#roomBefore - this.#room.left;
  }

  /** Whether the answer says or requests something. Reasoning alone does not. */
  get saysSomething(): boolean {
    return this.#textAt !== null || this.#refusalAt !== null || this.#calls.size > 0;
  }

  /** Returns the calls, which are not shown in a step of an agent. */
  calls(): AnswerCallPart[] {
    return [...this.#calls.values()].map(({ id, name, text, signature }) => ({ id, name, arguments: text, signature }));
  }

  /** Shows a part. Await a returned promise: Redis is slower than the model then. */
  take(part: Exclude<ChatPart, { type: 'finish' }>): Emitted {
    switch (part.type) {
      case 'text':
        return this.#takeText(part);
      case 'refusal':
        return this.#textOnly ? this.#takeText({ type: 'text', text: part.text }) : this.#takeRefusal(part.text);
      case 'reasoning':
        return this.#textOnly ? undefined : this.#takeReasoning(part);
      case 'tool_call':
        return this.#textOnly ? undefined : this.#takeCall(part);
      default:
        throw part satisfies never;
    }
  }

  /**
   * Shows held-back text, and completes items that have more than their deltas.
   * @param isCut whether the model was stopped, so that its last call may be incomplete
   */
  end(isCut = false): Emitted {
    const half = this.#text.rest();
    if (this.#cited === null) this.#showText(half);
    else {
      this.#showCited(this.#cited.take(half));
      this.#showCited(this.#cited.rest());
    }
    if (this.#logprobs.length > 0 && this.#textAt !== null) this.#emitText(this.#textAt, '');
    this.#showRefusal(this.#refusal.rest());
    if (this.#reasoning?.signature === '') this.#closeReasoning(this.#reasoning);
    for (const call of this.#calls.values()) this.#closeCall(call, isCut);
    return undefined;
  }

  #takeText({ text, logprobs = [] }: Part<'text'>): Emitted {
    for (const logprob of logprobs) {
      const bytes = LOGPROB_BYTES * (1 + logprob.top_logprobs.length);
      if (!this.#room.takeWhole(bytes)) return undefined;
      this.#logprobs.push(logprob);
    }
    const shown = this.#text.take(text);
    return this.#cited === null ? this.#showText(shown) : this.#showCited(this.#cited.take(shown));
  }

  #showCited({ text, citations }: ReturnType<CitedText['take']>): Emitted {
    const full = this.#showText(text);
    for (const item of citations) this.#showCitation(item);
    return full;
  }

  #showCitation(item: CitationItem): void {
    this.#emit({ type: 'output.item', index: this.#next(), item });
  }

  #showText(delta: string): Emitted {
    if (delta === '') return undefined;
    const lead = this.#textAt === null ? this.#separator : '';
    this.#textAt ??= this.#next();
    return this.#emitText(this.#textAt, lead + delta);
  }

  #emitText(index: number, delta: string): Emitted {
    if (this.#logprobs.length === 0) return this.#emit({ type: 'text.delta', index, delta });
    const logprobs = this.#logprobs;
    this.#logprobs = [];
    return this.#emit({ type: 'text.delta', index, delta, logprobs });
  }

  #takeRefusal(text: string): Emitted {
    return this.#showRefusal(this.#refusal.take(text));
  }

  #showRefusal(delta: string): Emitted {
    if (delta === '') return undefined;
    this.#refusalAt ??= this.#next();
    return this.#emit({ type: 'refusal.delta', index: this.#refusalAt, delta });
  }

  /** A signature ends a block of reasoning; what follows is another. */
  #takeReasoning({ text, signature = '' }: Part<'reasoning'>): Emitted {
    let block = this.#reasoning;
    if (block === null || block.signature !== '') {
      if (this.#room.full || (text === '' && signature === '')) return undefined;
      block = { index: this.#next(), pieces: new AnswerText(this.#room), text: '', signature: '' };
      this.#reasoning = block;
    }
    const shown = this.#showReasoning(block, block.pieces.take(text));
    if (signature === '' || !this.#room.takeWhole(signature.length)) return shown;
    block.signature = signature;
    return this.#closeReasoning(block);
  }

  #showReasoning(block: Reasoning, delta: string): Emitted {
    if (delta === '') return undefined;
    block.text += delta;
    return this.#emit({ type: 'reasoning.delta', index: block.index, delta });
  }

  /** Ends a block with its signature, so that streams can send that before what follows. */
  #closeReasoning(block: Reasoning): Emitted {
    const rest = this.#showReasoning(block, block.pieces.rest());
    const { index, text, signature } = block;
    if (signature === '') return rest;
    const item: ReasoningItem = { type: 'reasoning', text, signature };
    return this.#emit({ type: 'output.item', index, item });
  }

  #takeCall({ index: number, id, name, arguments: text, signature = '' }: Part<'tool_call'>): Emitted {
    let call = this.#calls.get(number);
    const first = call === undefined;
    if (call === undefined) {
      if (this.#calls.size === MAX_CALLS || !this.#room.takeWhole(id.length + name.length)) {
        this.#room.full = true;
        return undefined;
      }
      const pieces = new AnswerText(this.#room);
      const at = this.#holdsCalls ? -1 : this.#next();
      call = { index: at, call: this.#calls.size, id, name, pieces, text: '', signature: '' };
      this.#calls.set(number, call);
    }
    if (this.#room.takeWhole(signature.length)) call.signature += signature;
    return this.#showCall(call, call.pieces.take(text), first);
  }

  #showCall(shown: Call, arguments_delta: string, first: boolean): Emitted {
    if (arguments_delta === '' && !first) return undefined;
    const { index, call, id, name } = shown;
    shown.text += arguments_delta;
    if (this.#holdsCalls) return undefined;
    const mark = first ? { first } : {};
    return this.#emit({ type: 'tool_call.delta', index, call, id, name, ...mark, arguments_delta });
  }

  #closeCall(shown: Call, isCut: boolean): void {
    this.#showCall(shown, shown.pieces.rest(), false);
    // Some servers leave out the arguments of functions without parameters, which clients cannot parse.
    if (shown.text === '' && !isCut) this.#showCall(shown, '{}', false);
    const { index, id, name, text, signature } = shown;
    if (signature === '' || this.#holdsCalls) return;
    const item: ToolCallItem = {
      type: 'tool_call',
      id,
      name,
      arguments: text,
      status: 'requested',
      result: null,
      started_at: null,
      finished_at: null,
      signature,
    };
    this.#emit({ type: 'output.item', index, item });
  }

  #next(): number {
    this.#items += 1;
    return this.#items - 1;
  }
}
