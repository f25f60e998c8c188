import type { DefaultModelUse, StoredModelSettings } from '@chorus/contract';

/** The part of the configuration that names models. */
export interface ModelConfig {
  chat: { readonly defaultModel: string | null; readonly fallbacks: readonly (readonly string[])[] };
  iris: { readonly imageModel: string | null; readonly videoModel: string | null };
  voice: { readonly speechModel: string | null; readonly transcriptionModel: string | null };
}

/** Returns the default models of a configuration, by use. */
export function defaultsOf({ chat, iris, voice }: ModelConfig): Record<DefaultModelUse, string | null> {
  return {
    chat: chat.defaultModel,
    image: iris.imageModel,
    video: iris.videoModel,
    speech: voice.speechModel,
    transcription: voice.transcriptionModel,
  };
}

/**
 * Fills in a configuration from default models and fallbacks set by operators. The environment takes precedence.
 * They change while the process runs, so read the fields on each use instead of copying them.
 */
export function withModels<C extends ModelConfig>(config: C, stored: () => StoredModelSettings): C {
  const own = defaultsOf(config);
  const of = (use: DefaultModelUse) => own[use] ?? stored().defaults[use] ?? null;
  return {
    ...config,
    chat: {
      ...config.chat,
      get defaultModel() {
        return of('chat');
      },
      get fallbacks() {
        return config.chat.fallbacks.length > 0 ? config.chat.fallbacks : stored().fallbacks;
      },
    },
    iris: {
      ...config.iris,
      get imageModel() {
        return of('image');
      },
      get videoModel() {
        return of('video');
      },
    },
    voice: {
      ...config.voice,
      get speechModel() {
        return of('speech');
      },
      get transcriptionModel() {
        return of('transcription');
      },
    },
  };
}
