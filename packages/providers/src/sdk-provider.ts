import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { Capability, SettingName } from '@chorus/contract';
import type { CallFrame } from './call-attempts.ts';
import { toCallSettings } from './call-settings.ts';
import { CallStatus } from './call-status.ts';
import { toPrompt } from './chat-prompt.ts';
import { type MediaModels, mediaPorts } from './media-ports.ts';
import { ModelList, type ModelListOptions } from './model-list.ts';
import { type PrepareChat, streamModel } from './model-stream.ts';
import type { AdapterContext, KnownModel, Provider } from './provider-port.ts';
import { recent } from './recent.ts';
import { unsupportedSettings } from './unsupported-settings.ts';

export interface SdkParts extends MediaModels {
  /** What must never be shown. */
  secrets: readonly (string | null)[];
  /** Where its models are listed; null: only those of `present` are known. */
  list: Pick<ModelListOptions, 'url' | 'headers' | 'schema'> | null;
  /** Known before the first list has come, the default chat model first. */
  present: KnownModel[];
  /** Whether a list takes the place of `present`, instead of adding to it. */
  listReplaces: boolean;
  /** Whether the list says something of the provider's state. */
  listTellsStatus?: boolean;
  /** Whether some of its models take fewer settings than others. */
  settingsDiffer?: boolean;
  chat?: PrepareChat;
}

/** A provider made of a package that implements the AI SDK's specification. */
export function sdkProvider({ name, log, idleTimeoutMs, gate }: AdapterContext, parts: SdkParts): Provider {
  const status = new CallStatus();
  const list =
    parts.list === null ? null : new ModelList({ ...parts.list, log, ...(parts.listTellsStatus && { status }) });
  const frame: CallFrame = { provider: name, secrets: parts.secrets, idleTimeoutMs, status, log, gate };
  const { chat } = parts;
  // What no port is there for is not told of a model, whatever it could do.
  const can = (capability: Capability): boolean =>
    capability === 'chat' || capability === 'vision'
      ? chat !== undefined
      : capability !== 'ocr' && parts[capability] !== undefined;

  const unsupported = new Map<string, readonly SettingName[]>();
  const known = (listed: KnownModel[]): KnownModel[] => {
    const kept = parts.listReplaces && listed.length > 0 ? [] : parts.present;
    const byId = new Map([...kept, ...listed].map((model): [string, KnownModel] => [model.id, model]));
    return [...byId.values()].flatMap((model) => {
      const capabilities = model.capabilities.filter(can);
      const unsupportedSettings = unsupported.get(model.id) ?? [];
      return capabilities.length === 0 ? [] : [{ ...model, capabilities, unsupportedSettings }];
    });
  };

  /** Fills in, in the background, the settings that new models do not take. */
  const look = async (models: KnownModel[]): Promise<void> => {
    if (!parts.settingsDiffer || chat === undefined) return;
    for (const { id, capabilities } of models) {
      if (unsupported.has(id) || !capabilities.includes('chat')) continue;
      unsupported.set(id, []);
      const settings = await unsupportedSettings(id, chat).catch(() => []);
      unsupported.set(id, settings);
      if (settings.length > 0) last = { ...last, models: known(last.listed ?? []) };
    }
  };

  // Asked for with each turn, made anew with each list alone.
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
    settled: () => parts.present.length > 0 || (list?.tried ?? true),
    status: () => status.current(),
    ...(chat !== undefined && {
      streamChat(call, options) {
        const settings = { ...toCallSettings(call.settings), prompt: toPrompt(call.messages) };
        return streamModel(frame, call, chat(call, settings), options);
      },
    }),
    ...mediaPorts(frame, parts),
    close: () => list?.close(),
  };
}

/** Chat by one kind of the package's models. */
export function chatBy(
  make: (id: string) => LanguageModelV4,
  more: Pick<LanguageModelV4CallOptions, 'providerOptions'> = {},
): PrepareChat {
  const modelOf = recent(make);
  return ({ model }, options) => ({
    start: (abortSignal) => modelOf(model).doStream({ ...options, ...more, abortSignal }),
  });
}

/** Models by what they do, for a provider that lists none or not all of them. */
export function presentModels(...groups: [Capability[], ...string[]][]): KnownModel[] {
  return groups.flatMap(([capabilities, ...ids]) =>
    ids.map((id) => ({ id, created: 0, capabilities, contextWindow: null })),
  );
}
