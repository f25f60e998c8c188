import {
  type AnswerDelta,
  isAnswerDelta,
  type LogEvent,
  type OutputItem,
  parseObject,
  toAnthropicError,
} from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { Frames } from '../protocols/stream-answer.ts';
import { errorOf } from '../responses/openai-style.ts';
import type { ContentBlock } from './message-body.ts';
import { contentOf, emptyMessage, stopOf, thinkingBlock, usageOf } from './present-message.ts';

/** The end of a block of reasoning, with its signature. */
interface SignedReasoning {
  type: 'output.item';
  index: number;
  item: Extract<OutputItem, { type: 'reasoning' }>;
}
type Piece = AnswerDelta | SignedReasoning;

interface OpenBlock {
  /** Index of its output item. */
  item: number;
  type: Piece['type'];
  /** Arguments of a call so far. */
  input: string;
}

interface Shows {
  /** Those of agents are only valid with calls that are not shown. */
  signatures: boolean;
  /** Whether thinking is only signed. */
  hidesThinking: boolean;
  /** Estimated tokens of the input. Some clients only read them at the start. */
  inputTokens: number;
}

const frameOf = (type: string, fields: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

const PING = frameOf('ping');

/**
 * Writes a chat turn as Anthropic's stream. Its blocks follow one another, so pieces of a further item wait while a
 * call is incomplete.
 */
export class MessageFrames implements Frames {
  readonly keepAlive = PING;
  readonly #start: string;
  readonly #shows: Shows;
  #started = false;
  /** Number of blocks so far. */
  #blocks = 0;
  #open: OpenBlock | null = null;
  #held: Piece[] = [];
  /** Calls that have ended, by item. */
  readonly #calls = new Set<number>();

  constructor(record: ExecutionRecord, shows: Shows) {
    this.#shows = shows;
    this.#start = frameOf('message_start', { message: emptyMessage(record, shows.inputTokens) });
  }

  waiting(): string {
    return this.#begin() + PING;
  }

  running(event: LogEvent): string {
    const piece = this.#pieceOf(event);
    return piece === null ? '' : this.#begin() + this.#take(piece);
  }

  terminal(record: ExecutionRecord): string {
    if (record.status !== 'succeeded') return frameOf('error', toAnthropicError(errorOf(record)));
    let text = this.#begin() + this.#end();
    while (this.#held.length > 0) text += this.#replay() + this.#end();
    if (this.#blocks === 0)
      for (const block of contentOf(record.output, this.#shows.hidesThinking)) text += this.#whole(block);
    const delta = stopOf(record);
    return text + frameOf('message_delta', { delta, usage: usageOf(record) }) + frameOf('message_stop');
  }

  #pieceOf(event: LogEvent): Piece | null {
    if (isAnswerDelta(event)) return event.type === 'reasoning.delta' && this.#shows.hidesThinking ? null : event;
    if (!this.#shows.signatures || event.type !== 'output.item' || event.item.type !== 'reasoning') return null;
    return event.item.signature === undefined ? null : { type: event.type, index: event.index, item: event.item };
  }

  #begin(): string {
    if (this.#started) return '';
    this.#started = true;
    return this.#start;
  }

  #take(piece: Piece): string {
    const { index } = piece;
    if (this.#calls.has(index)) return '';
    let text = '';
    if (this.#open !== null && this.#open.item !== index) {
      if (this.#isIncomplete()) {
        this.#held.push(piece);
        return '';
      }
      text += this.#end();
    }
    if (piece.type === 'output.item') return text + this.#sign(piece);
    if (this.#open === null) text += this.#openBlock(piece);
    const open = this.#open as OpenBlock | null;
    if (open !== null && piece.type === 'tool_call.delta') open.input += piece.arguments_delta;
    text += this.#delta(deltaOf(piece));
    return this.#held.length === 0 || this.#isIncomplete() ? text : text + this.#end() + this.#replay();
  }

  #replay(): string {
    const held = this.#held;
    this.#held = [];
    return held.map((piece) => this.#take(piece)).join('');
  }

  /** Returns whether more arguments of the open call may follow. */
  #isIncomplete(): boolean {
    const open = this.#open;
    if (open?.type !== 'tool_call.delta') return false;
    return !open.input.trimEnd().endsWith('}') || parseObject(open.input) === null;
  }

  #openBlock(piece: AnswerDelta): string {
    this.#open = { item: piece.index, type: piece.type, input: '' };
    return this.#startBlock(emptyBlock(piece));
  }

  #startBlock(content_block: ContentBlock): string {
    this.#blocks += 1;
    return frameOf('content_block_start', { index: this.#blocks - 1, content_block });
  }

  #delta(delta: Delta | null): string {
    return delta === null ? '' : frameOf('content_block_delta', { index: this.#blocks - 1, delta });
  }

  /** Ends the open block. */
  #end(): string {
    if (this.#open === null) return '';
    if (this.#open.type === 'tool_call.delta') this.#calls.add(this.#open.item);
    this.#open = null;
    return frameOf('content_block_stop', { index: this.#blocks - 1 });
  }

  #sign({ item: { text, signature = '' } }: SignedReasoning): string {
    if (this.#open !== null) return this.#delta({ type: 'signature_delta', signature }) + this.#end();
    // Pieces of this block were not shown.
    const block = thinkingBlock(text, signature, true);
    return block === null ? '' : this.#whole(block);
  }

  #whole(block: ContentBlock): string {
    const stop = () => frameOf('content_block_stop', { index: this.#blocks - 1 });
    switch (block.type) {
      case 'text':
        return (
          this.#startBlock({ ...block, text: '' }) + this.#delta({ type: 'text_delta', text: block.text }) + stop()
        );
      case 'thinking': {
        const { thinking, signature } = block;
        const start = this.#startBlock({ ...block, thinking: '', signature: '' });
        const said = thinking === '' ? '' : this.#delta({ type: 'thinking_delta', thinking });
        const signed = signature === '' ? '' : this.#delta({ type: 'signature_delta', signature });
        return start + said + signed + stop();
      }
      case 'tool_use': {
        const start = this.#startBlock({ ...block, input: {} });
        return start + this.#delta({ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }) + stop();
      }
      default:
        return this.#startBlock(block) + stop();
    }
  }
}

type Delta =
  | { type: 'text_delta'; text: string }
  | { type: 'thinking_delta'; thinking: string }
  | { type: 'signature_delta'; signature: string }
  | { type: 'input_json_delta'; partial_json: string };

function emptyBlock(piece: AnswerDelta): ContentBlock {
  switch (piece.type) {
    case 'reasoning.delta':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'tool_call.delta':
      return { type: 'tool_use', id: piece.id, name: piece.name, input: {} };
    default:
      return { type: 'text', text: '' };
  }
}

function deltaOf(piece: AnswerDelta): Delta | null {
  switch (piece.type) {
    case 'reasoning.delta':
      return { type: 'thinking_delta', thinking: piece.delta };
    case 'tool_call.delta':
      return piece.arguments_delta === '' ? null : { type: 'input_json_delta', partial_json: piece.arguments_delta };
    default:
      return piece.delta === '' ? null : { type: 'text_delta', text: piece.delta };
  }
}
