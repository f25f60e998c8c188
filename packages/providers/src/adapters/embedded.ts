import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Capability, ChorusError } from '@chorus/contract';
import { textOf } from '../chat-prompt.ts';
import { answer } from '../embedded/assistant.ts';
import { LocalModel } from '../embedded/local-model.ts';
import { EmbeddedSpeech } from '../embedded/speech/embedded-speech.ts';
import { SentenceEncoder } from '../embedded/use-lite/sentence-encoder.ts';
import type { AdapterContext, CallOptions, ChatCall, ChatPart, KnownModel, Provider } from '../provider-port.ts';

const MODEL = 'assistant';
/** The model of `EMBEDDED_MODEL_PATH`. */
const LOCAL_MODEL = 'local';
/** They draw by rules; see `embedded/canvas`. */
const IMAGE_MODEL = 'canvas';
const VIDEO_MODEL = 'canvas-video';
/** Google's Universal Sentence Encoder, lite, for English. */
const EMBEDDING_MODEL = 'use-lite';
/** After so many words the event loop gets its turn. */
const WORDS_PER_TURN = 64;
/** A word, or 24 characters of a longer one, with the space before it. */
const WORD = /\s*\S{1,24}|\s+$/gu;

/**
 * What needs no key and no network: the assistant, what draws pictures and videos, a small sentence encoder, and models that listen and speak; and the model of a file, where one
 * is named.
 */
export function createAdapter({ modelPath, log }: AdapterContext): Provider {
  const local = modelPath === null ? null : new LocalModel(modelPath, log);
  local?.start().catch(() => {}); // those who call it are told
  const encoder = new SentenceEncoder(log);
  const speech = new EmbeddedSpeech(log);
  const own = (id: string, capability: Capability): KnownModel => ({
    id,
    created: 0,
    capabilities: [capability],
    contextWindow: null,
  });
  const assistant = own(MODEL, 'chat');
  const others = [
    own(IMAGE_MODEL, 'image'),
    own(VIDEO_MODEL, 'video'),
    own(EMBEDDING_MODEL, 'embedding'),
    ...speech.models(),
  ];
  const models = (): KnownModel[] =>
    local === null || local.unusable
      ? [assistant, ...others]
      : [{ ...own(LOCAL_MODEL, 'chat'), contextWindow: local.contextWindow }, assistant, ...others];
  return {
    models,
    defaultModel: () => models()[0]?.id ?? MODEL,
    settled: () => true,
    status: () => 'ok',
    streamChat: (call, options) =>
      local !== null && call.model === LOCAL_MODEL ? local.stream(call, options) : stream(call, options),
    // Drawing is loaded when it is first asked for.
    async generateImage(call, options) {
      only(IMAGE_MODEL, call.model, 'image');
      const { drawImage } = await import('../embedded/canvas/canvas.ts');
      return drawImage(call, options);
    },
    async renderVideo(call, options) {
      only(VIDEO_MODEL, call.model, 'video');
      const { drawVideo } = await import('../embedded/canvas/canvas-video.ts');
      return drawVideo(call, options);
    },
    async embed({ model, texts, purpose }, { signal, user }) {
      only(EMBEDDING_MODEL, model, 'embedding');
      const { vectors, tokens } = await encoder.encode(texts, purpose, { signal, user });
      const usage = { input_tokens: tokens, output_tokens: 0, total_tokens: tokens, cost_usd: null };
      return { embeddings: vectors, usage };
    },
    streamSpeech: (call, options) => speech.streamSpeech(call, options),
    voices: (model) => speech.voices(model),
    transcribe: (call, options) => speech.transcribe(call, options),
    openTranscription: (call, options) => speech.openTranscription(call, options),
    prepare: (model, voice) => speech.prepare(model, voice),
    close() {
      local?.close();
      encoder.close();
      speech.close();
    },
  };
}

function only(model: string, asked: string, capability: Capability): void {
  if (asked !== model)
    throw new ChorusError('model_not_found', `The embedded provider has one ${capability} model: ${model}`);
}

/**
 * Streams the answer word by word. A token is a word here, in `max_tokens` and in the usage: what stands between spaces, in
 * pieces of 24 characters where it is longer. So the counts are those of words, not of any model's tokenizer.
 */
async function* stream(
  { model, messages, settings }: ChatCall,
  { signal }: CallOptions,
): AsyncGenerator<ChatPart, void, undefined> {
  if (model !== MODEL) throw new ChorusError('model_not_found', `The embedded provider has one chat model: ${MODEL}`);
  signal.throwIfAborted();
  const words = wordsOf(beforeStop(answer(messages, new Date()), settings.stop ?? []));
  const limit = Math.min(words.length, settings.max_tokens ?? words.length);
  for (let index = 0; index < limit; index += 1) {
    if (index % WORDS_PER_TURN === WORDS_PER_TURN - 1) await nextTurn();
    signal.throwIfAborted();
    yield { type: 'text', text: words[index] ?? '' };
  }
  const input = messages.reduce((sum, message) => sum + wordsOf(textOf(message)).length, 0);
  yield {
    type: 'finish',
    finish_reason: limit < words.length ? 'length' : 'stop',
    usage: { input_tokens: input, output_tokens: limit, total_tokens: input + limit, cost_usd: null },
  };
}

/** The text in pieces that give it back when they are joined. */
function wordsOf(text: string): string[] {
  return text.match(WORD) ?? [];
}

function beforeStop(text: string, stops: string[]): string {
  const ends = stops
    .filter((stop) => stop !== '')
    .map((stop) => text.indexOf(stop))
    .filter((at) => at >= 0);
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends));
}
