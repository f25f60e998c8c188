import {
  ChorusError,
  type Demand,
  MOST_IMAGE_TOKENS,
  type ModelRecord,
  mostTokens,
  PCM16,
  type ProviderName,
  type Usage,
  unsupportedUse,
  type Voice,
  type WorkerHealth,
} from '@chorus/contract';
import type { Logger } from '@chorus/runtime/log';
import type { BatchingProvider } from './batches/batch-port.ts';
import { type Batches, withProviderNames } from './batches/batches.ts';
import { type CallGate, openGate } from './call-gate.ts';
import { type CallObserver, NO_OBSERVER } from './call-observer.ts';
import { collectedTranscription, collectSpeech } from './collect-sound.ts';
import { type EmbeddedTexts, embedTexts } from './embed-texts.ts';
import { estimateImage } from './estimate-image.ts';
import { type FallbackOptions, type FallbackPart, streamWithFallback } from './fallback.ts';
import { checkImageOptions } from './image-traits.ts';
import { mostSeconds } from './most-seconds.ts';
import { payFor, payForStream } from './paid-call.ts';
import type {
  AdapterContext,
  CallOptions,
  ChatCall,
  ChatPart,
  EmbeddingCall,
  GeneratedSpeech,
  ImageCall,
  MediaPorts,
  Provider,
  ProviderSettings,
  SpeechCall,
  SpeechPorts,
} from './provider-port.ts';
import { unsupportedOptions } from './unsupported-options.ts';
import { estimated } from './usage/estimate-chat.ts';
import { estimateTokens } from './usage/estimate-tokens.ts';
import { costOfSpeech, costOfTranscript, costOfVideo, isPriced } from './usage/prices.ts';
import { NO_USAGE } from './usage/sum-usage.ts';

/** A provider: when it is enabled, and how to import its adapter, which only happens then. */
interface Entry {
  name: ProviderName;
  /** Whether it accepts unlisted chat models. */
  anyModel: boolean;
  isConfigured(settings: ProviderSettings): boolean;
  load(): Promise<{ createAdapter(context: AdapterContext): BatchingProvider }>;
}

const DEFAULT_IDLE_TIMEOUT_MS = 60_000;

const hasKey = ({ apiKey }: ProviderSettings) => apiKey !== null && apiKey !== '';
const byKey = (name: ProviderName, anyModel: boolean, load: Entry['load']): Entry => ({
  name,
  anyModel,
  isConfigured: hasKey,
  load,
});

/** Providers in the order in which a default model is chosen. A new provider is one line and one adapter. */
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
  models(): ModelRecord[];
  /** The first configured provider's default, else the embedded model. Null while a list is pending. */
  defaultModel(): string | null;
  status(): WorkerHealth['providers'];
  contextWindow(model: string): number | null;
  /** Whether the provider is enabled, and lists the model or accepts any name. */
  supports(model: string): boolean;
  /**
   * Whether URLs in messages may be sent to a model and all that may answer in its place: they run at their providers,
   * or open none. Servers at configured addresses may be in the network of the platform.
   */
  takesUrls(model: string, fallbacks?: readonly string[]): boolean;
  /**
   * Streams one answer of `provider/model`: parts, then one finish. Failures before the first part are retried. A
   * model with fallbacks hands over to the next capable one, which a part reports.
   *
   * @throws ChorusError `provider_error`, `provider_unavailable`, `provider_rate_limited` (with `retryAfterS`),
   * `provider_auth`, `content_refused`, `context_too_long`, `timeout`, `model_not_found`, `invalid_request`; on abort
   * the signal's reason
   */
  streamChat(call: ChatCall, options: FallbackOptions): AsyncIterable<ChatPart | FallbackPart>;
  /** The other jobs of `provider/model`. @throws ChorusError like `streamChat`; `invalid_request` without a port */
  generateImage: Required<MediaPorts>['generateImage'];
  startVideo: Required<MediaPorts>['startVideo'];
  pollVideo: Required<MediaPorts>['pollVideo'];
  /** Does nothing if the provider can't cancel. */
  cancelVideo: Required<MediaPorts>['cancelVideo'];
  renderVideo: Required<MediaPorts>['renderVideo'];
  /** Whether a model's videos are rendered locally, by `renderVideo`. */
  rendersVideos(model: string): Promise<boolean>;
  generateSpeech(call: SpeechCall, options: CallOptions): Promise<GeneratedSpeech>;
  streamSpeech: Required<MediaPorts>['streamSpeech'];
  /** The price of speaking a text, in USD. Null if unknown. */
  costOfSpeech(call: Pick<SpeechCall, 'model' | 'text'>): number | null;
  /** Known voices of `provider/model`. The provider may accept others. */
  voices(model: string): Voice[];
  transcribe: Required<MediaPorts>['transcribe'];
  openTranscription: Required<MediaPorts>['openTranscription'];
  /** Loads a local model and prepares a voice ahead of the first call. Returns whether it was loaded before. */
  prepare(model: string, voice?: string): boolean;
  /**
   * Embeds texts. With a purpose, the vectors have length 1, so that a dot product is their similarity. A failed
   * call reports no cost, so split long lists.
   */
  embedTexts(call: EmbeddingCall, options: CallOptions): Promise<EmbeddedTexts>;
  /** Returns the batch endpoint of a model's provider. Null: it has none. */
  batchesOf(model: string): Promise<Batches | null>;
  /** Resolves when all configured providers are loaded. Waiting is optional. */
  ready(): Promise<void>;
  /** Changes the settings. Calls in progress keep theirs. */
  configure(settings: Record<ProviderName, ProviderSettings>): Promise<void>;
  /** Calls the listener after each change of settings. */
  onChange(listener: () => void): void;
  close(): void;
}

type Chains = readonly (readonly string[])[];

export interface ProvidersOptions {
  log: Logger;
  /** The longest silence of a provider, before and during its answer. */
  idleTimeoutMs?: number;
  /** Fallback chains of `provider/model`, each for its first model. A function is called for each request. */
  fallbacks?: Chains | (() => Chains);
  /** Admits calls. By default, all pass. */
  gate?: CallGate;
  /** Observes calls. Default: none. */
  observer?: CallObserver;
  /** A GGUF file, served as `embedded/local`. */
  embeddedModelPath?: string | null;
  /** The folder for weights of built-in models that are fetched on first use. */
  modelsFolder?: string | null;
}

/** Creates the configured providers. Adapters load in the background. */
export function createProviders(
  settings: Record<ProviderName, ProviderSettings>,
  {
    log,
    idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS,
    fallbacks: given = [],
    gate = openGate,
    observer = NO_OBSERVER,
    embeddedModelPath = null,
    modelsFolder = null,
  }: ProvidersOptions,
): Providers {
  const fallbacks = typeof given === 'function' ? given : () => given;
  const loaded = new Map<ProviderName, BatchingProvider>();
  const loading = new Map<ProviderName, Promise<BatchingProvider>>();
  const listeners = new Set<() => void>();
  let current = settings;
  let enabled: Entry[] = [];
  let closed = false;
  const start = ({ name, load }: Entry): void => {
    const promise = load().then(({ createAdapter }) => {
      const adapter = createAdapter({
        name,
        settings: current[name],
        log: log.child({ provider: name }),
        idleTimeoutMs,
        gate,
        observer,
        modelPath: embeddedModelPath,
        modelsFolder,
      });
      // The settings may have changed meanwhile.
      if (loading.get(name) === promise) loaded.set(name, adapter);
      if (closed || loading.get(name) !== promise) adapter.close();
      return adapter;
    });
    promise.catch((error: unknown) => log.error({ err: error, provider: name }, 'could not load provider'));
    loading.set(name, promise);
  };
  /** Calls in progress continue with the old adapter. */
  const stop = ({ name }: Entry): void => {
    loaded.get(name)?.close();
    loaded.delete(name);
    loading.delete(name);
  };

  const find = (model: string): { name: ProviderName; rest: string } | null => {
    const slash = model.indexOf('/');
    const name = model.slice(0, slash) as ProviderName;
    return slash > 0 && slash < model.length - 1 && loading.has(name) ? { name, rest: model.slice(slash + 1) } : null;
  };
  const adapterOf = async (name: ProviderName): Promise<BatchingProvider> =>
    loading.get(name)!.catch(() => {
      throw new ChorusError('provider_error', 'The provider could not be loaded');
    });
  const found = (model: string) => {
    const place = find(model);
    if (place === null) throw new ChorusError('model_not_found', `No configured provider has the model ${model}`);
    return place;
  };

  /** Returns the usable models of the chain that begins with a model. Undefined: there is none. */
  const chainOf = (model: string): readonly string[] | undefined => {
    const chain = fallbacks().find(([first]) => first === model);
    const usable = chain?.filter((one) => find(one) !== null) ?? [];
    return usable.length > 1 && usable[0] === model ? usable : undefined;
  };
  const warnOfUnusable = (): void => {
    const left = fallbacks().flatMap((chain) => chain.filter((model) => find(model) === null));
    if (left.length > 0)
      log.warn({ models: left }, 'ignored models of a fallback chain whose provider is not configured');
  };
  const use = (next: Record<ProviderName, ProviderSettings>): void => {
    const before = current;
    current = next;
    for (const entry of enabled)
      if (!entry.isConfigured(next[entry.name]) || !isSame(before[entry.name], next[entry.name])) stop(entry);
    enabled = ENTRIES.filter(({ name, isConfigured }) => isConfigured(next[name]));
    for (const entry of enabled) if (!loading.has(entry.name)) start(entry);
    warnOfUnusable();
  };
  use(settings);

  /** Whether a fallback is known to lack what the call needs, such as tools. */
  const refuses = (model: string, { settings, messages, lenient }: ChatCall): boolean => {
    const place = lenient ? null : find(model);
    const known =
      place &&
      loaded
        .get(place.name)
        ?.models()
        .find(({ id }) => id === place.rest);
    return known ? unsupportedUse(settings, messages, new Set(known.unsupportedSettings)).length > 0 : false;
  };

  const streamOne = (call: ChatCall, options: CallOptions): AsyncIterable<ChatPart> => {
    const { name, rest } = found(call.model);
    const adapter = loaded.get(name);
    const own = { ...call, model: rest };
    // Called directly once loaded: a generator in between would add an await to every word.
    const stream = (options: CallOptions) =>
      adapter === undefined ? afterLoading(adapterOf(name), own, options) : chatOf(adapter, own, options);
    if (options.spending === undefined) return stream(options);
    const costOf = (part: ChatPart) => (part.type === 'finish' ? part.usage.cost_usd : undefined);
    return payForStream(options, () => chatDemand(call), stream, costOf);
  };
  const port = <K extends Exclude<keyof MediaPorts, keyof SpeechPorts>>(kind: K): Required<MediaPorts>[K] =>
    (async (call: { model: string }, options: unknown) => {
      const { name, rest } = found(call.model);
      const run = (await adapterOf(name))[kind] as ((call: object, options: unknown) => Promise<unknown>) | undefined;
      if (run === undefined) throw new ChorusError('invalid_request', `${name} does not support this: ${kind}`);
      return run({ ...call, model: rest }, options);
    }) as Required<MediaPorts>[K];

  const transcribePort = port('transcribe');
  const transcribe: Providers['transcribe'] = (call, options) =>
    payFor(
      options,
      () => ({ of: 'transcript', model: call.model, seconds: mostSeconds(call) }),
      () => costing(costOfTranscript(call.model, mostSeconds(call))),
      (own) => transcribePort(call, own),
    );
  const embedPort = port('embed');
  const streamSpeech: Providers['streamSpeech'] = async function* (call, options) {
    const { name, rest } = found(call.model);
    const adapter = await adapterOf(name);
    const stream = (options: CallOptions) => {
      const pieces = adapter.streamSpeech?.({ ...call, model: rest }, options);
      if (pieces === undefined) throw new ChorusError('invalid_request', `${name} does not support this: speech`);
      return pieces;
    };
    const demand = () => ({ of: 'speech' as const, model: call.model, characters: call.text.length });
    const cost = () => costOfSpeech(call.model, call.text);
    yield* options.spending === undefined && options.onUnfinished === undefined
      ? stream(options)
      : payForStream(options, demand, stream, cost, () => costing(cost()));
  };

  return {
    models: () =>
      enabled.flatMap(({ name }) =>
        (loaded.get(name)?.models() ?? []).map(
          ({ id, created, capabilities, contextWindow, unsupportedSettings = [], ...known }) => ({
            id: `${name}/${id}`,
            object: 'model' as const,
            created,
            owned_by: name,
            capabilities,
            context_window: contextWindow,
            ...(name !== 'embedded' && { price_known: isPriced(`${name}/${id}`) }),
            ...refused([...unsupportedSettings, ...unsupportedOptions(`${name}/${id}`, capabilities)]),
            ...(known.ignoredSettings && { ignored_settings: [...known.ignoredSettings] }),
            ...(known.speechOptions && { speech_options: known.speechOptions }),
            ...(known.transcriptionOptions && { transcription_options: known.transcriptionOptions }),
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
        ...(name !== 'embedded' && { source: current[name].source ?? 'environment' }),
        ...(loaded.get(name)?.batches && { economy: true }),
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
    takesUrls(model, own = []) {
      const all = [model, ...own, ...(chainOf(model) ?? [])];
      return all.every((one) => {
        const place = find(one);
        return place !== null && current[place.name].baseUrl === null;
      });
    },
    streamChat(call, options) {
      const own = options.fallbacks?.filter((model) => find(model) !== null) ?? [];
      const chain = own.length > 0 ? [call.model, ...own] : chainOf(call.model);
      if (chain === undefined) return streamOne(call, options);
      const able = chain.filter((model, index) => index === 0 || !refuses(model, call));
      return streamWithFallback(able, (model, own) => streamOne({ ...call, model }, own), options, { log, observer });
    },
    generateImage: async (call, options) => {
      checkImageOptions(call);
      return payFor(
        options,
        () => imageDemand(call),
        () => estimateImage(call),
        (own) => port('generateImage')(call, own),
      );
    },
    startVideo: (call, options) =>
      payFor(
        options,
        () => ({ of: 'video', model: call.model, seconds: call.durationS }),
        () => costing(costOfVideo(call.model, call.durationS)),
        (own) => port('startVideo')(call, own),
      ),
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
      return (place && loaded.get(place.name)?.prepare?.(place.rest, voice)) ?? true;
    },
    embedTexts: (call, options) =>
      payFor(
        options,
        () => ({ of: 'tokens', models: [call.model], input: mostTokens(call.texts), output: 0 }),
        () => estimated(call.model, tokensOf(call.texts), 0),
        (own) => embedTexts(embedPort, call, own),
      ),
    async batchesOf(model) {
      const { batches } = await adapterOf(found(model).name);
      return batches === undefined ? null : withProviderNames(batches);
    },
    ready: () => Promise.allSettled(loading.values()).then(() => {}),
    async configure(next) {
      use(next);
      await Promise.allSettled(loading.values());
      for (const listener of listeners) listener();
    },
    onChange: (listener) => void listeners.add(listener),
    close() {
      closed = true;
      for (const adapter of loaded.values()) adapter.close();
    },
  };
}

/** Returns the usage of a call that is not priced by tokens, and whose provider did not report its end. */
const costing = (cost_usd: number | null): Usage => ({ ...NO_USAGE, cost_usd, estimated: true });

const tokensOf = (texts: readonly string[]) => texts.reduce((sum, text) => sum + estimateTokens(text), 0);

const chatDemand = ({ model, messages, settings: { tools, max_tokens } }: ChatCall): Demand => ({
  of: 'tokens',
  models: [model],
  input: mostTokens([messages, tools ?? []]),
  output: max_tokens ?? null,
});

const imageDemand = ({ model, prompt, negativePrompt = '', size, references = [], mask }: ImageCall): Demand => ({
  of: 'images',
  model,
  count: 1,
  size: size ?? null,
  input: mostTokens([prompt, negativePrompt]) + (references.length + (mask ? 1 : 0)) * MOST_IMAGE_TOKENS,
});

const isSame = (one: ProviderSettings, other: ProviderSettings) =>
  one.apiKey === other.apiKey && one.baseUrl === other.baseUrl && one.source === other.source;

const refused = (names: string[]) => (names.length > 0 ? { unsupported_settings: names } : {});

function chatOf(adapter: Provider, call: ChatCall, options: CallOptions): AsyncIterable<ChatPart> {
  const stream = adapter.streamChat?.(call, options);
  if (stream === undefined) throw new ChorusError('invalid_request', `The model ${call.model} does not support chat`);
  return stream;
}

async function* afterLoading(
  loading: Promise<Provider>,
  call: ChatCall,
  options: CallOptions,
): AsyncGenerator<ChatPart, void, undefined> {
  yield* chatOf(await loading, call, options);
}
