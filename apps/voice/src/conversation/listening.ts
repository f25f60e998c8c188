import { ChorusError, newId, type RealtimeItem, type RealtimeNews, type RealtimeSettings } from '@chorus/contract';
import type { LiveTranscription } from '@chorus/providers';
import { loadVoiceActivity } from '@chorus/speech';
import { UNHEARD } from './answer-plan.ts';
import type { ConversationItems } from './conversation-items.ts';
import { Ear } from './ear.ts';
import { FALSE_ALARM_MS, INTERRUPTION_MS, isInterruption } from './interruption.ts';
import { Refusal } from './refusal.ts';
import type { Said, Turns } from './turns.ts';
import { notWritten, Utterance } from './utterance.ts';
import type { VoiceEngine } from './voice-engine.ts';

/** What is answered where somebody was to be asked again who says nothing. */
const SILENCE = '[The user says nothing.]';

/** Less sound is nothing that could be committed, in milliseconds. */
const LEAST_MS = 100;

export interface ListeningParts {
  engine: VoiceEngine;
  /** Of whoever speaks, for the log. */
  sessionId: string;
  signal: AbortSignal;
  settings(): RealtimeSettings;
  items: ConversationItems;
  turns: Turns;
  tell(news: RealtimeNews): void;
  onState(state: 'listening' | 'thinking' | 'quiet'): void;
  /** Something was said that is to be answered. */
  onTurn(): void;
}

/** What the user says aloud: heard, written down, and told; speech while an answer is spoken interrupts it, unless it is a false alarm. */
export class Listening {
  readonly #parts: ListeningParts;
  readonly #ear: Ear;
  /** Somebody speaks while they are spoken to, and it is not clear yet whether they mean it. */
  #held: Utterance | null = null;
  /** What was told to have begun. */
  readonly #announced = new WeakSet<Utterance>();
  /** What was told of the words of an utterance so far. */
  readonly #partials = new WeakMap<Utterance, string>();
  /** Utterances become turns in their order. */
  #order: Promise<void> = Promise.resolve();
  #unwritten = 0;
  #idle: NodeJS.Timeout | null = null;

  constructor(parts: ListeningParts) {
    this.#parts = parts;
    this.#ear = new Ear(
      {
        transcribe: () => this.#transcribe(),
        openActivity: async () => (await loadVoiceActivity()).open(),
        onSpeech: (utterance) => this.#begin(utterance),
        onMore: (utterance, speechMs) => this.#more(utterance, speechMs),
        onSilence: (utterance, endMs) => this.#silence(utterance, endMs),
        onPartial: (utterance, text) => this.#partial(utterance, text),
        onDeaf: (error) => this.#tellError(error),
      },
      parts.settings().turn_detection,
    );
  }

  /** Whether somebody speaks now, as far as it was told, or what they said is still written down. */
  get busy(): boolean {
    const { utterance } = this.#ear;
    return this.#unwritten > 0 || (utterance !== null && this.#announced.has(utterance));
  }

  /** @throws {Refusal} input_audio_buffer_full: more sound than may wait for its commit */
  hear(pcm: Uint8Array): void {
    if (!this.#ear.hear(pcm))
      throw new Refusal('input_audio_buffer_full', 'More sound than may wait for its commit: commit or clear it.');
  }

  /** The settings have changed. */
  adjust(): void {
    this.#ear.detection = this.#parts.settings().turn_detection;
    this.quiet();
  }

  /** @throws {Refusal} input_audio_buffer_commit_empty: nothing was said */
  commit(): void {
    const length = this.#ear.utterance?.lengthMs ?? 0;
    if (length < LEAST_MS)
      throw new Refusal(
        'input_audio_buffer_commit_empty',
        `There is ${Math.round(length)} ms of sound to commit, less than ${LEAST_MS}.`,
      );
    const utterance = this.#ear.commit() as Utterance;
    if (this.#held === utterance) this.#interrupt(utterance);
    this.#commit(utterance);
  }

  clear(): void {
    const utterance = this.#ear.clear();
    if (utterance !== null && this.#held === utterance) this.#goOn();
    this.#parts.tell({ type: 'input_audio_buffer.cleared' });
  }

  /** Nobody speaks any more, on either side: who says nothing for long may be asked. */
  quiet(): void {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    const detection = this.#parts.settings().turn_detection;
    if (detection?.type !== 'server_vad' || detection.idle_timeout_ms == null) return;
    if (this.busy || this.#parts.turns.answer !== null || this.#parts.items.last === null) return;
    this.#idle = setTimeout(() => this.#askAgain(), detection.idle_timeout_ms);
  }

  /** Sound that came as an item of its own. */
  heardItem(itemId: string, pcm: Uint8Array, at: number): void {
    const utterance = new Utterance(0, this.#transcribe(), () => undefined);
    utterance.hear(pcm);
    utterance.endedAt = at;
    this.#write(itemId, utterance, false);
  }

  /** Resolves when all that was said until now is written down. */
  written(): Promise<void> {
    return this.#order;
  }

  close(): void {
    this.#ear.close();
    if (this.#idle !== null) clearTimeout(this.#idle);
  }

  #transcribe(): LiveTranscription {
    const { engine, settings, signal, sessionId } = this.#parts;
    try {
      const model = engine.listener(settings().transcription?.model ?? null);
      return engine.providers.openTranscription({ model }, { signal, executionId: sessionId });
    } catch (error) {
      return notWritten(error);
    }
  }

  #begin(utterance: Utterance): void {
    if (this.#idle !== null) clearTimeout(this.#idle);
    const { turns, settings, engine } = this.#parts;
    // After a long rest it may have been unloaded.
    engine.warm(settings().voice);
    const detection = settings().turn_detection;
    if (turns.answer === null || detection?.interrupt_response !== true) {
      this.#announce(utterance);
      return;
    }
    // At once, so that nobody is talked over; for good, when it is clear that they mean it.
    turns.answer.pause();
    this.#held = utterance;
  }

  #more(utterance: Utterance, speechMs: number): void {
    if (this.#held !== utterance) return;
    if (this.#parts.turns.answer === null) {
      this.#held = null;
      this.#announce(utterance);
    } else if (speechMs >= INTERRUPTION_MS) this.#interrupt(utterance);
  }

  #silence(utterance: Utterance, endMs: number): void {
    if (this.#held === utterance) {
      this.#held = null;
      void this.#judge(utterance, endMs);
      return;
    }
    this.#parts.tell({ type: 'input_audio_buffer.speech_stopped', item_id: utterance.id, audio_end_ms: endMs });
    this.#commit(utterance);
  }

  /** Something short was said while an answer is spoken: its words tell whether it is meant to end it. */
  async #judge(utterance: Utterance, endMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      // Words that lie in the socket, since this process was busy, are read before that.
      timer = setTimeout(() => setImmediate(() => resolve(null)), FALSE_ALARM_MS);
    });
    const heard = await Promise.race([utterance.transcript.catch(() => null), late]);
    clearTimeout(timer);
    if (this.#parts.signal.aborted) return;
    if (heard === null || !isInterruption(heard.text)) {
      utterance.drop();
      if (this.#held === null) this.#goOn();
      return;
    }
    this.#interrupt(utterance);
    this.#parts.tell({ type: 'input_audio_buffer.speech_stopped', item_id: utterance.id, audio_end_ms: endMs });
    this.#commit(utterance);
  }

  #goOn(): void {
    this.#held = null;
    this.#parts.turns.answer?.resume();
  }

  #interrupt(utterance: Utterance): void {
    const { turns } = this.#parts;
    if (this.#held === utterance) this.#held = null;
    this.#announce(utterance);
    turns.interrupt('turn_detected');
  }

  #announce(utterance: Utterance): void {
    this.#announced.add(utterance);
    const { tell, onState } = this.#parts;
    tell({ type: 'input_audio_buffer.speech_started', item_id: utterance.id, audio_start_ms: utterance.startMs });
    onState('listening');
  }

  #partial(utterance: Utterance, text: string): void {
    if (!this.#announced.has(utterance) || this.#parts.settings().transcription === null) return;
    const told = this.#partials.get(utterance) ?? '';
    // What was told can't be taken back; the whole comes at the end.
    if (!text.startsWith(told) || text === told) return;
    this.#partials.set(utterance, text);
    const type = 'conversation.item.input_audio_transcription.delta';
    this.#parts.tell({ type, item_id: utterance.id, content_index: 0, delta: text.slice(told.length) });
  }

  #commit(utterance: Utterance): void {
    const { tell, items, onState } = this.#parts;
    tell({ type: 'input_audio_buffer.committed', item_id: utterance.id, previous_item_id: items.last });
    items.add(heardItem(utterance.id));
    onState('thinking');
    this.#write(utterance.id, utterance, this.#parts.settings().turn_detection?.create_response === true);
  }

  /** @param answered whether it is answered when it is written down */
  #write(itemId: string, utterance: Utterance, answered: boolean): void {
    this.#unwritten += 1;
    utterance.end(0);
    this.#order = this.#order.then(async () => {
      const said = await this.#said(itemId, utterance);
      this.#unwritten -= 1;
      if (this.#parts.signal.aborted) return;
      if (said !== null) this.#parts.turns.say(said);
      // Who goes on speaking has not finished what they say.
      if (answered && !this.busy && this.#parts.turns.waiting) this.#parts.onTurn();
      else if (!this.busy) this.#parts.onState('quiet');
    });
  }

  async #said(itemId: string, utterance: Utterance): Promise<Said | null> {
    const { tell, items, settings, engine } = this.#parts;
    const place = { item_id: itemId, content_index: 0 };
    const isTold = settings().transcription !== null;
    try {
      const { text, language, usage: spent } = await utterance.transcript;
      const transcript = text.trim();
      items.rewrite(itemId, [{ type: 'input_audio', audio: null, transcript }]);
      const usage = { type: 'duration', seconds: utterance.lengthMs / 1_000 } as const;
      const type = 'conversation.item.input_audio_transcription.completed';
      if (isTold) tell({ type, ...place, transcript, usage });
      if (!/[\p{L}\p{N}]/u.test(transcript)) return null;
      const transcription_model = engine.listener(settings().transcription?.model ?? null);
      const { cost_usd } = spent;
      const hearing = { transcription_model, language, cost_usd, transcribedAt: performance.now() };
      return { itemId, text: transcript, at: utterance.endedAt, hearing };
    } catch (thrown) {
      if (this.#parts.signal.aborted) return null;
      const error = { type: 'server_error', ...wordsOf(thrown) };
      tell({ type: 'conversation.item.input_audio_transcription.failed', ...place, error });
      this.#tellError(thrown);
      return null;
    }
  }

  #askAgain(): void {
    const { tell, items, turns } = this.#parts;
    const now = Math.round(this.#ear.nowMs);
    const id = newId('message');
    tell({ type: 'input_audio_buffer.timeout_triggered', item_id: id, audio_start_ms: now, audio_end_ms: now });
    tell({ type: 'input_audio_buffer.committed', item_id: id, previous_item_id: items.last });
    items.add({ ...heardItem(id), content: [{ type: 'input_audio', audio: null, transcript: '' }] });
    turns.say({ itemId: id, text: SILENCE, at: performance.now(), hearing: UNHEARD });
    this.#parts.onTurn();
  }

  #tellError(thrown: unknown): void {
    const error = { type: 'server_error', ...wordsOf(thrown), param: null, event_id: null } as const;
    this.#parts.tell({ type: 'error', error });
  }
}

function heardItem(id: string): RealtimeItem {
  const content = [{ type: 'input_audio' as const, audio: null, transcript: null }];
  return { id, object: 'realtime.item', type: 'message', status: 'completed', role: 'user', content };
}

function wordsOf(thrown: unknown): { code: string; message: string } {
  if (thrown instanceof ChorusError) return { code: thrown.code, message: thrown.message };
  return { code: 'internal_error', message: 'Something went wrong on our side.' };
}
