import type { Config } from '@chorus/config';
import { ChorusError, type ModelRecord, type ProviderName, type WorkerHealth } from '@chorus/contract';
import type { Logger } from '@chorus/log';
import type {
  AdapterContext,
  ChatCall,
  ChatCallOptions,
  ChatPart,
  ChatProvider,
  ProviderSettings,
} from './provider-port.ts';

/** A provider of chat models: when it is on, and where its adapter is, which is imported only then. */
interface Entry {
  name: ProviderName;
  /** Whether it takes names of models that it does not list. */
  anyModel: boolean;
  isConfigured(settings: ProviderSettings): boolean;
  load(): Promise<{ createAdapter(context: AdapterContext): ChatProvider }>;
}

const DEFAULT_IDLE_TIMEOUT_MS = 60_000;

const hasKey = ({ apiKey }: ProviderSettings) => apiKey !== null && apiKey !== '';

/** In the order in which a default model is looked for. A new provider is one line here and one adapter. */
const ENTRIES: Entry[] = [
  { name: 'openai', anyModel: true, isConfigured: hasKey, load: () => import('./adapters/openai.ts') },
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
  /** Whether `provider/model` can be asked for: its provider is on and lists it, or takes any name. */
  supports(model: string): boolean;
  /**
   * Streams one answer of `provider/model`: texts, then one finish. What fails before the first text was tried again already.
   * @throws ChorusError `provider_error`, `provider_rate_limited` (with `retryAfterS`), `provider_auth`, `content_refused`,
   * `context_too_long`, `timeout`, `model_not_found`, `invalid_request`; on abort the signal's reason.
   */
  streamChat(call: ChatCall, options: ChatCallOptions): AsyncIterable<ChatPart>;
  /** Resolves when every configured provider is loaded; nothing needs to wait for it. */
  ready(): Promise<void>;
  /** Ends what runs in the background. */
  close(): void;
}

/**
 * The providers that are configured. Their adapters load in the background, so that this is there at once.
 * @param idleTimeoutMs the longest silence of a provider, before and during its answer, in milliseconds
 */
export function createProviders(
  settings: Config['providers'],
  { log, idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS }: { log: Logger; idleTimeoutMs?: number },
): Providers {
  const loaded = new Map<ProviderName, ChatProvider>();
  const loading = new Map<ProviderName, Promise<ChatProvider>>();
  const enabled = ENTRIES.filter(({ name, isConfigured }) => isConfigured(settings[name]));
  let closed = false;
  for (const { name, load } of enabled) {
    const promise = load().then(({ createAdapter }) => {
      const adapter = createAdapter({
        name,
        settings: settings[name],
        log: log.child({ provider: name }),
        idleTimeoutMs,
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

  return {
    models: () =>
      enabled.flatMap(({ name }) =>
        (loaded.get(name)?.models() ?? []).map(({ id, created, capabilities }) => ({
          id: `${name}/${id}`,
          object: 'model' as const,
          created,
          owned_by: name,
          capabilities,
        })),
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
    supports(model) {
      const found = find(model);
      if (found === null) return false;
      if (enabled.some(({ name, anyModel }) => name === found.name && anyModel)) return true;
      return (
        loaded
          .get(found.name)
          ?.models()
          .some(({ id }) => id === found.rest) ?? true
      );
    },
    streamChat(call, options) {
      const found = find(call.model);
      if (found === null)
        throw new ChorusError('model_not_found', `No configured provider has the model ${call.model}`);
      const adapter = loaded.get(found.name);
      const own = { ...call, model: found.rest };
      // Straight through once loaded: each generator in between would cost every word an await.
      if (adapter !== undefined) return adapter.streamChat(own, options);
      return afterLoading(loading.get(found.name)!, own, options);
    },
    ready: () => Promise.allSettled(loading.values()).then(() => {}),
    close() {
      closed = true;
      for (const adapter of loaded.values()) adapter.close();
    },
  };
}

async function* afterLoading(
  loading: Promise<ChatProvider>,
  call: ChatCall,
  options: ChatCallOptions,
): AsyncGenerator<ChatPart, void, undefined> {
  const adapter = await loading.catch(() => {
    throw new ChorusError('provider_error', 'The provider could not be loaded');
  });
  yield* adapter.streamChat(call, options);
}
