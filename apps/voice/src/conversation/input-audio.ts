import { ChorusError, newId, type RealtimeEventData, type RealtimeItem, type RealtimeSettings } from '@chorus/contract';
import type { LiveTranscription, Transcript } from '@chorus/providers';
import { valueWithin } from '@chorus/runtime/timing';
import { checkHeardLanguage, loadVoiceActivity } from '@chorus/speech';
import { TEXT_INPUT } from './answer-plan.ts';
import type { ConversationItems } from './conversation-items.ts';
import { INTERRUPTION_MS, isInterruption, JUDGE_WITHIN_MS } from './interruption.ts';
import { MAX_WAIT_S } from './max-wait.ts';
import { Refusal } from './refusal.ts';
import type { Turns, UserInput } from './turns.ts';
import { failedTranscription, Utterance } from './utterance.ts';
import { UtteranceDetector } from './utterance-detector.ts';
import type { VoiceEngine } from './voice-engine.ts';

/** Message of a turn that starts because the user stays silent. */
const SILENT_TURN = '[The user says nothing.]';

/** The least audio that can be committed. */
const MIN_COMMIT_MS = 100;

export interface InputAudioParts {
  engine: VoiceEngine;
  sessionId: string;
  signal: AbortSignal;
  settings(): RealtimeSettings;
  items: ConversationItems;
  turns: Turns;
  send(news: RealtimeEventData): void;
  onState(state: 'listening' | 'thinking' | 'quiet'): void;
  onTurn(): void;
}

/** Transcribes and announces user speech. Speech during an answer interrupts it, except false alarms. */
export class InputAudio {
  readonly #parts: InputAudioParts;
  readonly #detector: UtteranceDetector;
  /** Speech during an answer that may turn out to be an interruption. */
  #candidate: Utterance | null = null;
  readonly #announced = new WeakSet<Utterance>();
  /** Partial transcript already sent for each utterance. */
  readonly #partials = new WeakMap<Utterance, string>();
  /** Turns utterances into messages in order. */
  #queue: Promise<void> = Promise.resolve();
  #pending = 0;
  #idle: NodeJS.Timeout | null = null;

  constructor(parts: InputAudioParts) {
    this.#parts = parts;
    this.#detector = new UtteranceDetector(
      {
        transcribe: () => this.#transcribe(),
        openActivity: async () => (await loadVoiceActivity()).open(),
        onSpeech: (utterance) => this.#begin(utterance),
        onSpeaking: (utterance, speechMs) => this.#more(utterance, speechMs),
        onSpeechEnd: (utterance, endMs) => this.#silence(utterance, endMs),
        onPartial: (utterance, text) => this.#partial(utterance, text),
        onError: (error) => this.#tellError(error),
      },
      parts.settings().turn_detection,
    );
  }

  /** Whether announced speech is in progress or still being transcribed. */
  get busy(): boolean {
    const { utterance } = this.#detector;
    return this.#pending > 0 || (utterance !== null && this.#announced.has(utterance));
  }

  /** @throws {Refusal} input_audio_buffer_full: commit or clear the buffer first */
  append(pcm: Uint8Array): void {
    if (!this.#detector.append(pcm))
      throw new Refusal('input_audio_buffer_full', 'The input audio buffer is full: commit or clear it.');
  }

  applySettings(): void {
    this.#detector.detection = this.#parts.settings().turn_detection;
    this.startIdleTimer();
  }

  /** @throws {Refusal} input_audio_buffer_commit_empty */
  commit(): void {
    const length = this.#detector.utterance?.lengthMs ?? 0;
    if (length < MIN_COMMIT_MS)
      throw new Refusal(
        'input_audio_buffer_commit_empty',
        `The buffer has ${Math.round(length)} ms of audio: at least ${MIN_COMMIT_MS} ms are needed to commit.`,
      );
    const utterance = this.#detector.commit() as Utterance;
    if (this.#candidate === utterance) this.#interrupt(utterance);
    this.#commit(utterance);
  }

  clear(): void {
    const utterance = this.#detector.clear();
    if (utterance !== null && this.#candidate === utterance) this.#resume();
    this.#parts.send({ type: 'input_audio_buffer.cleared' });
  }

  /** Starts the idle timer when neither side speaks. */
  startIdleTimer(): void {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    const detection = this.#parts.settings().turn_detection;
    if (detection?.type !== 'server_vad' || detection.idle_timeout_ms == null) return;
    if (this.busy || this.#parts.turns.answer !== null || this.#parts.items.last === null) return;
    this.#idle = setTimeout(() => this.#promptSilentUser(), detection.idle_timeout_ms);
  }

  /** Transcribes audio that the client sent as an item. */
  transcribeItem(itemId: string, pcm: Uint8Array, at: number): void {
    const utterance = new Utterance(0, this.#transcribe(), () => undefined);
    utterance.append(pcm);
    utterance.endedAt = at;
    this.#write(itemId, utterance, false);
  }

  /** Resolves when all speech so far is transcribed. */
  transcribed(): Promise<void> {
    return this.#queue;
  }

  close(): void {
    this.#detector.close();
    if (this.#idle !== null) clearTimeout(this.#idle);
  }

  #transcribe(): LiveTranscription {
    const { engine, settings, signal, sessionId } = this.#parts;
    try {
      const model = engine.listener(settings().transcription?.model ?? null);
      return engine.providers.openTranscription({ model }, { signal, executionId: sessionId, maxWaitS: MAX_WAIT_S });
    } catch (error) {
      return failedTranscription(error);
    }
  }

  #begin(utterance: Utterance): void {
    if (this.#idle !== null) clearTimeout(this.#idle);
    const { turns, settings, engine } = this.#parts;
    // The model may have been unloaded after a long pause.
    engine.warm(settings().voice);
    const detection = settings().turn_detection;
    if (turns.answer === null || detection?.interrupt_response !== true) {
      this.#announce(utterance);
      return;
    }
    // Pauses at once; cancels when this proves to be an interruption.
    turns.answer.pause();
    this.#candidate = utterance;
  }

  #more(utterance: Utterance, speechMs: number): void {
    if (this.#candidate !== utterance) return;
    if (this.#parts.turns.answer === null) {
      this.#candidate = null;
      this.#announce(utterance);
    } else if (speechMs >= INTERRUPTION_MS) this.#interrupt(utterance);
  }

  #silence(utterance: Utterance, endMs: number): void {
    if (this.#candidate === utterance) {
      this.#candidate = null;
      void this.#judge(utterance, endMs);
      return;
    }
    this.#parts.send({ type: 'input_audio_buffer.speech_stopped', item_id: utterance.id, audio_end_ms: endMs });
    this.#commit(utterance);
  }

  /** Judges by its words whether a short utterance during an answer interrupts it. */
  async #judge(utterance: Utterance, endMs: number): Promise<void> {
    const heard = await valueWithin(utterance.transcript, JUDGE_WITHIN_MS);
    if (this.#parts.signal.aborted) return;
    if (heard === undefined || !isInterruption(heard.text)) {
      utterance.cancel();
      if (this.#candidate === null) this.#resume();
      return;
    }
    this.#interrupt(utterance);
    this.#parts.send({ type: 'input_audio_buffer.speech_stopped', item_id: utterance.id, audio_end_ms: endMs });
    this.#commit(utterance);
  }

  #resume(): void {
    this.#candidate = null;
    this.#parts.turns.answer?.resume();
  }

  #interrupt(utterance: Utterance): void {
    const { turns } = this.#parts;
    if (this.#candidate === utterance) this.#candidate = null;
    this.#announce(utterance);
    turns.interrupt('turn_detected');
  }

  #announce(utterance: Utterance): void {
    this.#announced.add(utterance);
    const { send, onState } = this.#parts;
    send({ type: 'input_audio_buffer.speech_started', item_id: utterance.id, audio_start_ms: utterance.startMs });
    onState('listening');
  }

  #partial(utterance: Utterance, text: string): void {
    if (!this.#announced.has(utterance) || this.#parts.settings().transcription === null) return;
    const sent = this.#partials.get(utterance) ?? '';
    // Sent text cannot be taken back; the full transcript follows at the end.
    if (!text.startsWith(sent) || text === sent) return;
    this.#partials.set(utterance, text);
    const type = 'conversation.item.input_audio_transcription.delta';
    this.#parts.send({ type, item_id: utterance.id, content_index: 0, delta: text.slice(sent.length) });
  }

  #commit(utterance: Utterance): void {
    const { send, items, onState } = this.#parts;
    send({ type: 'input_audio_buffer.committed', item_id: utterance.id, previous_item_id: items.last });
    items.add(heardItem(utterance.id));
    onState('thinking');
    this.#write(utterance.id, utterance, this.#parts.settings().turn_detection?.create_response === true);
  }

  /** @param answered whether to answer it once it is transcribed */
  #write(itemId: string, utterance: Utterance, answered: boolean): void {
    this.#pending += 1;
    utterance.end(0);
    this.#queue = this.#queue.then(async () => {
      const said = await this.#said(itemId, utterance);
      this.#pending -= 1;
      if (this.#parts.signal.aborted) return;
      if (said !== null) this.#parts.turns.addInput(said);
      // A user who is speaking again has not finished.
      if (answered && !this.busy && this.#parts.turns.hasInput) this.#parts.onTurn();
      else if (!this.busy) this.#parts.onState('quiet');
    });
  }

  async #said(itemId: string, utterance: Utterance): Promise<UserInput | null> {
    const { send, items, settings, engine } = this.#parts;
    const place = { item_id: itemId, content_index: 0 };
    const sendsTranscript = settings().transcription !== null;
    try {
      const heard = await utterance.transcript;
      const { language, usage: spent } = heard;
      const warnings = this.#doubts(heard);
      const transcript = heard.text.trim();
      items.rewrite(itemId, [{ type: 'input_audio', audio: null, transcript }]);
      const usage = { type: 'duration', seconds: utterance.lengthMs / 1_000 } as const;
      const type = 'conversation.item.input_audio_transcription.completed';
      if (sendsTranscript) send({ type, ...place, transcript, usage, ...(warnings.length > 0 && { warnings }) });
      if (!/[\p{L}\p{N}]/u.test(transcript)) return null;
      const transcription_model = engine.listener(settings().transcription?.model ?? null);
      const { cost_usd } = spent;
      const source = { transcription_model, language, cost_usd, transcribedAt: performance.now() };
      return { itemId, text: transcript, receivedAt: utterance.endedAt, source };
    } catch (thrown) {
      if (this.#parts.signal.aborted) return null;
      const error = { type: 'server_error', ...wordsOf(thrown) };
      send({ type: 'conversation.item.input_audio_transcription.failed', ...place, error });
      this.#tellError(thrown);
      return null;
    }
  }

  /** Returns warnings. @throws {ChorusError} invalid_request if the speech is in a language the model does not know */
  #doubts(heard: Transcript): string[] {
    const { engine, settings } = this.#parts;
    const asked = settings().transcription;
    if (asked?.language != null) return [];
    const field = 'session.audio.input.transcription.model';
    const hint = ' If it is English, set `session.audio.input.transcription.language` to `en`.';
    return checkHeardLanguage(engine.providers, heard, { model: engine.listener(asked?.model ?? null), field, hint });
  }

  #promptSilentUser(): void {
    const { send, items, turns } = this.#parts;
    const now = Math.round(this.#detector.nowMs);
    const id = newId('message');
    send({ type: 'input_audio_buffer.timeout_triggered', item_id: id, audio_start_ms: now, audio_end_ms: now });
    send({ type: 'input_audio_buffer.committed', item_id: id, previous_item_id: items.last });
    items.add({ ...heardItem(id), content: [{ type: 'input_audio', audio: null, transcript: '' }] });
    turns.addInput({ itemId: id, text: SILENT_TURN, receivedAt: performance.now(), source: TEXT_INPUT });
    this.#parts.onTurn();
  }

  #tellError(thrown: unknown): void {
    const error = { type: 'server_error', ...wordsOf(thrown), param: null, event_id: null } as const;
    this.#parts.send({ type: 'error', error });
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
