import type { ImageModelV4, LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { type Capability, type ChatFeature, ChorusError, refusalOf, unsupportedUse } from '@chorus/contract';
import { BatchHttp, type BatchHttpOptions } from './batches/batch-http.ts';
import type { BatchingProvider, BatchWire } from './batches/batch-port.ts';
import { providerBatches } from './batches/provider-batches.ts';
import { cacheRecent } from './cache-recent.ts';
import type { CallFrame } from './call-attempts.ts';
import { toCallSettings } from './call-settings.ts';
import { CallStatus } from './call-status.ts';
import type { ChatDialect } from './chat-dialect.ts';
import { toPrompt, withoutSignatures } from './chat-prompt.ts';
import { CheckedSettings } from './checked-settings.ts';
import { type EmbeddingModels, embeddingPort } from './embedding-port.ts';
import { imagePort, type ShapeImage } from './image-port.ts';
import { ModelList, type ModelListOptions } from './model-list.ts';
import { type ChatStart, type PrepareChat, streamModel } from './model-stream.ts';
import { rejectsSignature } from './provider-failure.ts';
import type { AdapterContext, ChatCall, KnownModel, MediaPorts } from './provider-port.ts';
import { type SpeechModels, speechPort } from './speech-stream.ts';
import { type TranscriptionModels, transcriptionPort } from './transcription-port.ts';
import { unsupportedSettings } from './unsupported-settings.ts';
import { type VideoModels, videoPorts } from './video-port.ts';
import type { MakeWire } from './wires/wire.ts';

export interface SdkParts extends MediaModels {
  secrets: readonly (string | null)[];
  /** The model list. Null if only `initialModels` is known. */
  list: Pick<ModelListOptions, 'url' | 'headers' | 'schema'> | null;
  /** Models that are known before the first list, the default chat model first. */
  initialModels: KnownModel[];
  /** Whether a list replaces `initialModels` instead of extending it. */
  listReplaces: boolean;
  /** Whether fetching the list reflects the provider's status. */
  listReflectsStatus?: boolean;
  /** Identifies models whose package knows their supported settings. Models at other URLs may differ. */
  settingsOf?: string;
  chat?: { dialect: ChatDialect; prepare: PrepareChat };
  /** The provider's batch endpoint. */
  batches?: BatchHttpOptions & { wire(http: BatchHttp): BatchWire };
}

/** Creates a provider from a package that implements the AI SDK's specification. */
export function sdkProvider(
  { name, log, idleTimeoutMs, gate, observer }: AdapterContext,
  parts: SdkParts,
): BatchingProvider {
  const status = new CallStatus();
  const list =
    parts.list === null ? null : new ModelList({ ...parts.list, log, ...(parts.listReflectsStatus && { status }) });
  const frame: CallFrame = { provider: name, secrets: parts.secrets, idleTimeoutMs, status, log, gate, observer };
  const { chat } = parts;
  // Hides abilities without a port.
  const can = (capability: Capability): boolean =>
    capability === 'chat' || capability === 'vision'
      ? chat !== undefined
      : parts[capability as keyof MediaModels] !== undefined;

  const chatting = chat === undefined ? null : new ChatPlans(name, chat.dialect, chat.prepare);

  const unsupported = new Map<string, readonly ChatFeature[]>();
  const known = (listed: KnownModel[]): KnownModel[] => {
    const kept = parts.listReplaces && listed.length > 0 ? [] : parts.initialModels;
    const byId = new Map([...kept, ...listed].map((model): [string, KnownModel] => [model.id, model]));
    return [...byId.values()].flatMap((model) => {
      const capabilities = model.capabilities.filter(can);
      if (capabilities.length === 0) return [];
      return [
        {
          ...model,
          capabilities,
          ...chatLimits(model.id, capabilities),
          ...soundOptions(model.id, capabilities, parts),
        },
      ];
    });
  };
  const chatLimits = (
    id: string,
    capabilities: Capability[],
  ): Pick<KnownModel, 'unsupportedSettings' | 'ignoredSettings'> => {
    if (chatting === null || !capabilities.includes('chat')) return {};
    const { ignored } = chatting.dialect;
    const unsupportedSettings = [...new Set([...chatting.refusedBy(id), ...(unsupported.get(id) ?? [])])];
    return { unsupportedSettings, ...(ignored && { ignoredSettings: ignored }) };
  };

  /** Finds unsupported settings of new models in the background. */
  const look = async (models: KnownModel[]): Promise<void> => {
    const { settingsOf } = parts;
    if (settingsOf === undefined || chatting === null) return;
    for (const { id, capabilities } of models) {
      if (unsupported.has(id) || !capabilities.includes('chat')) continue;
      unsupported.set(id, []);
      const settings = await unsupportedSettings(settingsOf, id, (call) => chatting.plan(call));
      unsupported.set(id, settings);
      if (settings.length > 0) last = { ...last, models: known(last.listed ?? []) };
    }
  };

  // Read for each turn, but rebuilt only for each list.
  let last: { listed: KnownModel[] | null; models: KnownModel[] } = { listed: null, models: known([]) };
  void look(last.models);
  const models = (): KnownModel[] => {
    const listed = list?.models ?? null;
    if (listed !== last.listed) {
      last = { listed, models: known(listed ?? []) };
      void look(last.models);
    }
    return last.models;
  };

  return {
    models,
    defaultModel: () => models().find(({ capabilities }) => capabilities.includes('chat'))?.id ?? null,
    settled: () => parts.initialModels.length > 0 || (list?.tried ?? true),
    status: () => status.current(),
    ...(chatting !== null && {
      streamChat(call, options) {
        const accepted = chatting.accept(call);
        return streamModel({ ...frame, dialect: chatting.dialect }, accepted, chatting.start(accepted), options);
      },
    }),
    ...mediaPorts(frame, parts),
    ...(parts.batches && {
      batches: providerBatches(frame, parts.batches.wire(new BatchHttp(frame, parts.batches)), {
        chat: chatting,
        embedding: parts.embedding,
      }),
    }),
    close: () => list?.close(),
  };
}

/** Builds the requests of chat calls. */
class ChatPlans {
  readonly dialect: ChatDialect;
  readonly refusedBy: (model: string) => ReadonlySet<ChatFeature>;
  readonly #provider: string;
  readonly #prepare: PrepareChat;
  readonly #checked = new CheckedSettings();

  constructor(provider: string, dialect: ChatDialect, prepare: PrepareChat) {
    this.#provider = provider;
    this.dialect = dialect;
    this.#prepare = prepare;
    this.refusedBy = cacheRecent((model) => new Set(dialect.unsupported?.(model)));
  }

  /**
   * Drops settings that the model is known to refuse from a lenient call.
   *
   * @throws ChorusError `invalid_request` if the caller requires them
   */
  accept(call: ChatCall): ChatCall {
    const uses = unsupportedUse(call.settings, call.messages, this.refusedBy(call.model));
    const [first] = call.lenient ? uses.filter(({ path }) => path.startsWith('messages')) : uses;
    if (first !== undefined)
      throw new ChorusError(
        'invalid_request',
        `\`${first.path}\` ${refusalOf(`${this.#provider}/${call.model}`, first)}`,
      );
    if (uses.length === 0) return call;
    const kept = Object.entries(call.settings).filter(([name]) => uses.every(({ path }) => path !== name));
    return { ...call, settings: Object.fromEntries(kept) };
  }

  plan(call: ChatCall): ChatStart {
    const { dialect } = this;
    return this.#prepare(call, {
      ...toCallSettings(call.settings, dialect, this.#provider, call.model),
      prompt: toPrompt(call.messages, dialect, `${this.#provider}/${call.model}`),
    });
  }

  /** Plans a call that retries without signatures if the provider does not accept them. */
  start(call: ChatCall): ChatStart {
    let current = this.plan(call);
    let signed = true;
    return {
      start: (signal, continuation) => current.start(signal, continuation),
      wire: () => current.wire?.() ?? null,
      uncheckedSettings: () => {
        const key = this.#checked.keyOf(call, current.variant?.() ?? '');
        return this.#checked.has(key) ? null : () => this.#checked.add(key);
      },
      adapt: (thrown) => {
        if (current.adapt?.(thrown)) return true;
        if (!signed || !rejectsSignature(thrown)) return false;
        signed = false;
        current = this.plan({ ...call, messages: withoutSignatures(call.messages) });
        return true;
      },
    };
  }
}

/** Chooses the reader for the answer to a request. Null: the package. */
export type WireChoice = (options: Omit<LanguageModelV4CallOptions, 'abortSignal'>) => MakeWire | null;

/** Prepares chat with one kind of the package's models. */
export function chatBy(make: (id: string) => LanguageModelV4, wireFor: WireChoice = () => null): PrepareChat {
  const modelOf = cacheRecent(make);
  return ({ model }, options) => ({
    start: (abortSignal) => modelOf(model).doStream({ ...options, abortSignal }),
    wire: () => wireFor(options),
  });
}

/** Lists models by ability, for a provider that does not list them all. */
export function modelsByCapability(...groups: [Capability[], ...string[]][]): KnownModel[] {
  return groups.flatMap(([capabilities, ...ids]) =>
    ids.map((id) => ({ id, created: 0, capabilities, contextWindow: null })),
  );
}

function soundOptions(
  id: string,
  capabilities: readonly Capability[],
  { speech, transcription }: MediaModels,
): Pick<KnownModel, 'speechOptions' | 'transcriptionOptions'> {
  return {
    ...(speech && capabilities.includes('speech') && { speechOptions: speech.options(id) }),
    ...(transcription && capabilities.includes('transcription') && { transcriptionOptions: transcription.options(id) }),
  };
}

/** Creates the package's models, by job. */
export interface MediaModels {
  image?: { model(id: string): ImageModelV4; shape: ShapeImage };
  video?: VideoModels;
  speech?: SpeechModels;
  transcription?: TranscriptionModels;
  embedding?: EmbeddingModels;
}

/** Returns the ports for the models in a provider package. */
export function mediaPorts(frame: CallFrame, models: MediaModels): MediaPorts {
  const ports: MediaPorts = {};
  const { image, video, speech, transcription, embedding } = models;
  if (image) ports.generateImage = imagePort(frame, image.model, image.shape);
  if (video) Object.assign(ports, videoPorts(frame, video));
  if (speech) {
    ports.streamSpeech = speechPort(frame, speech);
    ports.voices = speech.voices;
  }
  if (transcription) ports.transcribe = transcriptionPort(frame, transcription);
  if (embedding) ports.embed = embeddingPort(frame, embedding);
  return ports;
}
