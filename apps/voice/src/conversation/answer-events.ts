import type {
  ErrorBody,
  RealtimeEventData,
  RealtimeItem,
  RealtimePart,
  RealtimeResponse,
  RealtimeUsage,
  RequiredAction,
  Usage,
} from '@chorus/contract';
import type { ConversationItems } from './conversation-items.ts';

export type AnswerOutcome =
  | { status: 'completed'; usage: Usage | null }
  | { status: 'incomplete'; reason: 'max_output_tokens' | 'content_filter'; usage: Usage | null }
  | { status: 'cancelled'; reason: 'turn_detected' | 'client_cancelled' }
  | { status: 'failed'; error: Pick<ErrorBody, 'code' | 'message'> };

export interface AnswerEventsParts {
  send(news: RealtimeEventData): void;
  /** Null if the answer is not part of the conversation. */
  items: ConversationItems | null;
  response: Pick<
    RealtimeResponse,
    'id' | 'audio' | 'max_output_tokens' | 'metadata' | 'execution_id' | 'session_id' | 'conversation_id'
  >;
  modality: 'audio' | 'text';
}

/** Sends the protocol's events for one answer, in order. */
export class AnswerEvents {
  readonly #parts: AnswerEventsParts;
  readonly #output: RealtimeItem[] = [];
  #text = '';
  #response: RealtimeResponse;
  #ended = false;

  constructor(parts: AnswerEventsParts) {
    this.#parts = parts;
    this.#response = {
      ...parts.response,
      object: 'realtime.response',
      status: 'in_progress',
      status_details: null,
      output: [],
      output_modalities: [parts.modality],
      usage: null,
    };
  }

  /** Whether `response.done` was sent. */
  get ended(): boolean {
    return this.#ended;
  }

  get itemId(): string | null {
    return this.#output.at(-1)?.id ?? null;
  }

  created(): void {
    this.#parts.send({ type: 'response.created', response: { ...this.#response } });
  }

  /**
   * Starts the answer, or restarts it after `text.reset`: the earlier item stays, marked incomplete.
   *
   * @param id of the item
   * @param sentBefore text already sent on an earlier socket
   */
  begin(id: string, message_id: string | null, sentBefore = ''): void {
    if (this.#output.length > 0) this.#finishItem('incomplete');
    this.#text = sentBefore;
    const { send, items } = this.#parts;
    const item: RealtimeItem = {
      id,
      object: 'realtime.item',
      type: 'message',
      status: 'in_progress',
      role: 'assistant',
      content: [],
      message_id,
    };
    this.#output.push(item);
    send({ type: 'response.output_item.added', ...this.#inResponse(), item: { ...item } });
    items?.add(item);
    send({ type: 'response.content_part.added', ...this.#place(), part: this.#part(sentBefore) });
  }

  text(delta: string): void {
    this.#text += delta;
    const type =
      this.#parts.modality === 'audio' ? 'response.output_audio_transcript.delta' : 'response.output_text.delta';
    this.#parts.send({ type, ...this.#place(), delta });
  }

  sound(pcm: Uint8Array, offset_ms: number): void {
    const delta = Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength).toString('base64');
    this.#parts.send({ type: 'response.output_audio.delta', ...this.#place(), delta, offset_ms });
  }

  /** Calls of tools wait for decisions. */
  waits(required_action: RequiredAction): void {
    const { send, response } = this.#parts;
    send({
      type: 'response.requires_action',
      response_id: response.id,
      execution_id: response.execution_id,
      required_action,
    });
  }

  /** Only the first call has an effect. */
  end(outcome: AnswerOutcome, warnings: string[] = []): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#output.length > 0) this.#finishItem(outcome.status === 'completed' ? 'completed' : 'incomplete');
    this.#response = { ...this.#response, ...endOf(outcome), output: this.#output };
    if (warnings.length > 0) this.#response.warnings = warnings;
    this.#parts.send({ type: 'response.done', response: this.#response });
  }

  #finishItem(status: 'completed' | 'incomplete'): void {
    const { send, items, modality } = this.#parts;
    const place = this.#place();
    if (modality === 'audio') {
      send({ type: 'response.output_audio.done', ...place });
      send({ type: 'response.output_audio_transcript.done', ...place, transcript: this.#text });
    } else send({ type: 'response.output_text.done', ...place, text: this.#text });
    send({ type: 'response.content_part.done', ...place, part: this.#part(this.#text) });
    const item = this.#output.at(-1) as RealtimeItem;
    const content: RealtimePart[] =
      modality === 'audio'
        ? [{ type: 'output_audio', audio: null, transcript: this.#text }]
        : [{ type: 'output_text', text: this.#text }];
    Object.assign(item, { status, content });
    send({ type: 'response.output_item.done', ...this.#inResponse(), item: { ...item } });
    items?.finish(item.id, status, content);
  }

  #part(text: string) {
    return this.#parts.modality === 'audio'
      ? ({ type: 'audio', transcript: text } as const)
      : ({ type: 'text', text } as const);
  }

  #inResponse() {
    return { response_id: this.#response.id, output_index: this.#output.length - 1 };
  }

  #place() {
    return { ...this.#inResponse(), item_id: this.itemId ?? '', content_index: 0 };
  }
}

function endOf(outcome: AnswerOutcome): Pick<RealtimeResponse, 'status' | 'status_details' | 'usage'> {
  const { status } = outcome;
  switch (outcome.status) {
    case 'completed':
      return { status, status_details: null, usage: usageOf(outcome.usage) };
    case 'incomplete':
      return { status, status_details: { type: status, reason: outcome.reason }, usage: usageOf(outcome.usage) };
    case 'cancelled':
      return { status, status_details: { type: 'cancelled', reason: outcome.reason }, usage: usageOf(null) };
    case 'failed': {
      const { code, message } = outcome.error;
      const error = { type: 'server_error', code, message };
      return { status, status_details: { type: 'failed', error }, usage: usageOf(null) };
    }
  }
}

function usageOf(usage: Usage | null): RealtimeUsage {
  const { input_tokens = 0, output_tokens = 0, total_tokens = 0 } = usage ?? {};
  return {
    total_tokens,
    input_tokens,
    output_tokens,
    input_token_details: { text_tokens: input_tokens, audio_tokens: 0, cached_tokens: 0 },
    output_token_details: { text_tokens: output_tokens, audio_tokens: 0 },
  };
}
