import { ChorusError, type ModelRecord, type ProviderName, type WorkerHealth } from '@chorus/contract';
import type { Logger } from '@chorus/log';
import { collectSpeech } from './collect-speech.ts';
import { collectedTranscription } from './collected-transcription.ts';
import { type EmbeddedTexts, embedTexts } from './embed-texts.ts';
import { type FallbackOptions, type FallbackPart, streamWithFallback } from './fallback.ts';
import { openGate, type ProviderGate } from './gate/provider-gate.ts';
import type {
  AdapterContext,
  CallOptions,
  ChatCall,
  ChatPart,
  EmbeddingCall,
  MediaPorts,
  Provider,
  ProviderSettings,
} from './provider-port.ts';
import { type MadeSpeech, PCM16, type SpeechCall, type SpeechPorts, type Voice } from './speech-port.ts';
import { costOfSpeech } from './speech-prices.ts';

/** A provider: when it is on, and where its adapter is, which is imported only then. */
interface Entry {
  name: ProviderName;
  /** Whether it chats with models that it does not list. */
  anyModel: boolean;
  isConfigured(settings: ProviderSettings): boolean;
  load(): Promise<{ createAdapter(context: AdapterContext): Provider }>;
}

const DEFAULT_IDLE_TIMEOUT_MS = 60_000;

const hasKey = ({ apiKey }: ProviderSettings) => apiKey !== null && apiKey !== '';
const byKey = (name: ProviderName, anyModel: boolean, load: Entry['load']): Entry => ({
  name,
  anyModel,
  isConfigured: hasKey,
  load,
});

/** In the order in which a default model is looked for. A new provider is one line here and one adapter. */
const ENTRIES: Entry[] = [
  byKey('openai', true, () => import('./adapters/openai.ts')),
  byKey('anthropic', true, () => import('./adapters/anthropic.ts')),
  byKey('google', true, () => import('./adapters/google.ts')),
  byKey('mistral', true, () => import('./adapters/mistral.ts')),
  byKey('groq', true, () => import('./adapters/groq.ts')),
  byKey('elevenlabs', false, () => import('./adapters/elevenlabs.ts')),
  byKey('deepgram', false, () => import('./adapters/deepgram.ts')),
  byKey('fal', false, () => import('./adapters/fal.ts')),
  {
    name: 'compatible',
    anyModel: true,
    isConfigured: ({ baseUrl }) => baseUrl !== null,
    load: () => import('./adapters/compatible.ts'),
  },
  { name: 'embedded', anyModel: false, isConfigured: () => true, load: () => import('./adapters/embedded.ts') },
];

export interface Providers {
  /** Every model that is known now, by `provider/model`. */
  models(): ModelRecord[];
  /** The first configured provider's default, else the embedded model; null while a provider's models are not known yet. */
  defaultModel(): string | null;
  status(): WorkerHealth['providers'];
  /** How many tokens a model reads at most; null where its provider does not say. */
  contextWindow(model: string): number | null;
  /** Whether `provider/model` can be asked for: its provider is on and lists it, or takes any name. */
  supports(model: string): boolean;
  /**
   * Streams one answer of `provider/model`: texts, then one finish. What fails before the first text was tried again already; a model that
   * begins a fallback chain hands over to the next one, which a part tells.
   * @throws ChorusError `provider_error`, `provider_rate_limited` (with `retryAfterS`), `provider_auth`, `content_refused`,
   * `context_too_long`, `timeout`, `model_not_found`, `invalid_request`; on abort the signal's reason.
   */
  streamChat(call: ChatCall, options: FallbackOptions): AsyncIterable<ChatPart | FallbackPart>;
  /** The other jobs, each by `provider/model`. @throws ChorusError as `streamChat`; `invalid_request` where the provider has no such port */
  generateImage: Required<MediaPorts>['generateImage'];
  startVideo: Required<MediaPorts>['startVideo'];
  pollVideo: Required<MediaPorts>['pollVideo'];
  /** Does nothing where the provider can't be asked to stop. */
  cancelVideo: Required<MediaPorts>['cancelVideo'];
  renderVideo: Required<MediaPorts>['renderVideo'];
  /** Whether a model's videos are made here, by `renderVideo`, rather than handed in at a provider. */
  rendersVideos(model: string): Promise<boolean>;
  /** Speaks a text, and gives it whole. */
  generateSpeech(call: SpeechCall, options: CallOptions): Promise<MadeSpeech>;
  streamSpeech: Required<MediaPorts>['streamSpeech'];
  /** What speaking a text costs by the public prices, in USD; null: not known. */
  costOfSpeech(call: Pick<SpeechCall, 'model' | 'text'>): number | null;
  /** The voices that a model is known to have, by `provider/model`; providers may take others. */
  voices(model: string): Voice[];
  transcribe: Required<MediaPorts>['transcribe'];
  openTranscription: Required<MediaPorts>['openTranscription'];
  /** Loads a model that runs here, so that its first call does not wait for that; and makes one of its voices ready, so that its first phrase sounds sooner. */
  prepare(model: string, voice?: string): void;
  /**
   * Vectors of texts, each of the length 1, so that the scalar product of two is their likeness. What is paid for is told; a call that fails gives
   * nothing of what it may have cost, so long lists are better asked for in parts.
   */
  embedTexts(call: EmbeddingCall, options: CallOptions): Promise<EmbeddedTexts>;
  /** Resolves when every configured provider is loaded; nothing needs to wait for it. */
  ready(): Promise<void>;
  /** Ends what runs in the background. */
  close(): void;
}

export interface ProvidersOptions {
  log: Logger;
  /** The longest silence of a provider, before and during its answer, in milliseconds. */
  idleTimeoutMs?: number;
  /** Models that stand in for each other, by `provider/model`: a chain serves the turns of its first. */
  fallbacks?: readonly (readonly string[])[];
  /** What lets each provider's calls through; absent: all go at once. */
  gateOf?: (name: ProviderName) => ProviderGate;
  /** A GGUF file, which is then the model `embedded/local`. */
  embeddedModelPath?: string | null;
}

/** The providers that are configured. Their adapters load in the background, so that this is there at once. */
export function createProviders(
  settings: Record<ProviderName, ProviderSettings>,
  {
    log,
    idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS,
    fallbacks = [],
    gateOf = () => openGate,
    embeddedModelPath = null,
  }: ProvidersOptions,
): Providers {
  const loaded = new Map<ProviderName, Provider>();
  const loading = new Map<ProviderName, Promise<Provider>>();
  const enabled = ENTRIES.filter(({ name, isConfigured }) => isConfigured(settings[name]));
  let closed = false;
  for (const { name, load } of enabled) {
    const promise = load().then(({ createAdapter }) => {
      const adapter = createAdapter({
        name,
        settings: settings[name],
        log: log.child({ provider: name }),
        idleTimeoutMs,
        gate: gateOf(name),
        modelPath: embeddedModelPath,
      });
      loaded.set(name, adapter);
      if (closed) adapter.close();
      return adapter;
    });
    promise.catch((error: unknown) => log.error({ err: error, provider: name }, 'provider could not be loaded'));
    loading.set(name, promise);
  }

  const find = (model: string): { name: ProviderName; rest: string } | null => {
    const slash = model.indexOf('/');
    const name = model.slice(0, slash) as ProviderName;
    return slash > 0 && slash < model.length - 1 && loading.has(name) ? { name, rest: model.slice(slash + 1) } : null;
  };
  const adapterOf = async (name: ProviderName): Promise<Provider> =>
    loading.get(name)!.catch(() => {
      throw new ChorusError('provider_error', 'The provider could not be loaded');
    });
  const found = (model: string) => {
    const place = find(model);
    if (place === null) throw new ChorusError('model_not_found', `No configured provider has the model ${model}`);
    return place;
  };

  const chains = new Map<string, readonly string[]>();
  for (const chain of fallbacks) {
    const usable = chain.filter((model) => find(model) !== null);
    const left = chain.filter((model) => find(model) === null);
    if (left.length > 0)
      log.warn({ models: left }, 'models of a fallback chain whose provider is not configured are left out');
    const [first] = usable;
    if (first !== undefined && first === chain[0] && usable.length > 1) chains.set(first, usable);
  }

  const streamOne = (call: ChatCall, options: CallOptions): AsyncIterable<ChatPart> => {
    const { name, rest } = found(call.model);
    const adapter = loaded.get(name);
    const own = { ...call, model: rest };
    // Straight through once loaded: each generator in between would cost every word an await.
    return adapter === undefined ? afterLoading(adapterOf(name), own, options) : chatOf(adapter, own, options);
  };
  /** One of the other jobs, at the provider of the model that the call names. */
  const port = <K extends Exclude<keyof MediaPorts, keyof SpeechPorts>>(kind: K): Required<MediaPorts>[K] =>
    (async (call: { model: string }, options: unknown) => {
      const { name, rest } = found(call.model);
      const run = (await adapterOf(name))[kind] as ((call: object, options: unknown) => Promise<unknown>) | undefined;
      if (run === undefined) throw new ChorusError('invalid_request', `${name} can't do this: ${kind}`);
      return run({ ...call, model: rest }, options);
    }) as Required<MediaPorts>[K];

  const transcribe = port('transcribe');
  const streamSpeech: Providers['streamSpeech'] = async function* (call, options) {
    const { name, rest } = found(call.model);
    const stream = (await adapterOf(name)).streamSpeech?.({ ...call, model: rest }, options);
    if (stream === undefined) throw new ChorusError('invalid_request', `${name} can't do this: speak`);
    yield* stream;
  };

  return {
    models: () =>
      enabled.flatMap(({ name }) =>
        (loaded.get(name)?.models() ?? []).map(
          ({ id, created, capabilities, contextWindow, unsupportedSettings = [] }) => ({
            id: `${name}/${id}`,
            object: 'model' as const,
            created,
            owned_by: name,
            capabilities,
            context_window: contextWindow,
            ...(unsupportedSettings.length > 0 && { unsupported_settings: [...unsupportedSettings] }),
          }),
        ),
      ),
    defaultModel() {
      for (const { name } of enabled) {
        const adapter = loaded.get(name);
        if (adapter === undefined) return null;
        const model = adapter.defaultModel();
        if (model !== null) return `${name}/${model}`;
        if (!adapter.settled()) return null;
      }
      return null;
    },
    status: () =>
      enabled.map(({ name, anyModel }) => ({
        name,
        status: loaded.get(name)?.status() ?? 'unknown',
        any_model: anyModel,
      })),
    contextWindow(model) {
      const place = find(model);
      const known = place && loaded.get(place.name)?.models();
      return known?.find(({ id }) => id === place?.rest)?.contextWindow ?? null;
    },
    supports(model) {
      const place = find(model);
      if (place === null) return false;
      if (enabled.some(({ name, anyModel }) => name === place.name && anyModel)) return true;
      return (
        loaded
          .get(place.name)
          ?.models()
          .some(({ id }) => id === place.rest) ?? true
      );
    },
    streamChat(call, options) {
      const own = options.fallbacks?.filter((model) => find(model) !== null) ?? [];
      const chain = own.length > 0 ? [call.model, ...own] : chains.get(call.model);
      if (chain === undefined) return streamOne(call, options);
      return streamWithFallback(chain, (model, own) => streamOne({ ...call, model }, own), options, log);
    },
    generateImage: port('generateImage'),
    startVideo: port('startVideo'),
    pollVideo: port('pollVideo'),
    async cancelVideo(request, options) {
      const { name, rest } = found(request.model);
      await (await adapterOf(name)).cancelVideo?.({ ...request, model: rest }, options);
    },
    renderVideo: port('renderVideo'),
    rendersVideos: async (model) => (await adapterOf(found(model).name)).renderVideo !== undefined,
    streamSpeech,
    generateSpeech: (call, options) => collectSpeech(streamSpeech(call, options), call),
    costOfSpeech: ({ model, text }) => costOfSpeech(model, text),
    voices(model) {
      const { name, rest } = found(model);
      return loaded.get(name)?.voices?.(rest) ?? [];
    },
    transcribe,
    openTranscription(call, options) {
      const { name, rest } = found(call.model);
      const live = loaded.get(name)?.openTranscription?.({ ...call, model: rest }, options);
      if (live !== undefined) return live;
      const whole = (audio: Uint8Array, signal: AbortSignal) =>
        transcribe({ model: call.model, audio, mediaType: PCM16 }, { ...options, signal });
      return collectedTranscription(whole, options.signal);
    },
    prepare(model, voice) {
      const place = find(model);
      if (place !== null) loaded.get(place.name)?.prepare?.(place.rest, voice);
    },
    embedTexts: async (call, options) => embedTexts(port('embed'), call, options),
    ready: () => Promise.allSettled(loading.values()).then(() => {}),
    close() {
      closed = true;
      for (const adapter of loaded.values()) adapter.close();
    },
  };
}

function chatOf(adapter: Provider, call: ChatCall, options: CallOptions): AsyncIterable<ChatPart> {
  const stream = adapter.streamChat?.(call, options);
  if (stream === undefined) throw new ChorusError('invalid_request', `The model ${call.model} does not chat`);
  return stream;
}

async function* afterLoading(
  loading: Promise<Provider>,
  call: ChatCall,
  options: CallOptions,
): AsyncGenerator<ChatPart, void, undefined> {
  yield* chatOf(await loading, call, options);
}
