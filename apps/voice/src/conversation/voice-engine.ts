import { createVoiceLines, createVoiceMarks, type VoiceLines, type VoiceMarks } from '@chorus/conversations';
import { connectRedis, logOutages } from '@chorus/events';
import { chooseModel, chooseVoice } from '@chorus/executions';
import { openProviders, type Providers } from '@chorus/providers';
import type { VoiceServices } from '../voice-services.ts';
import type { Speaker } from './answer-sound.ts';

export interface VoiceEngine {
  readonly providers: Providers;
  readonly marks: VoiceMarks;
  readonly lines: VoiceLines;
  /**
   * Returns the model and voice to speak with.
   *
   * @throws {ChorusError} `model_not_found` if no model can speak; `invalid_request` for an unknown voice
   */
  speaker(asked: { voice: string | null; speed: number }): Speaker;
  /**
   * Returns the model to transcribe with. A name without a provider, as OpenAI's clients send, selects the
   * default.
   *
   * @throws {ChorusError} model_not_found
   */
  listener(asked: string | null): string;
  /** Preloads the default models and the requested voice. */
  warm(voice: string | null): void;
}

export interface OpenVoiceEngine {
  ready(): Promise<VoiceEngine>;
  close(): void;
}

export function openVoiceEngine(services: VoiceServices): OpenVoiceEngine {
  const { config, redis, database, log, observer } = services;
  let loading: Promise<VoiceEngine> | null = null;
  let close = () => {};
  const load = async (): Promise<VoiceEngine> => {
    const subscriber = connectRedis(config.redis, 'worker');
    logOutages(subscriber, config.redis, log);
    const providers = await openProviders(config, { redis, subscriber, database, log, ...(observer && { observer }) });
    close = () => {
      providers.close();
      subscriber.disconnect();
    };
    return engineOver(services, providers);
  };
  return {
    ready: () => {
      loading ??= load();
      return loading;
    },
    close: () => void loading?.then(() => close()).catch(() => undefined),
  };
}

/** Ignores errors: the first real use reports them. */
function attempt(prepare: () => void): void {
  try {
    prepare();
  } catch {}
}

function engineOver({ config, redis, hub, log }: VoiceServices, providers: Providers): VoiceEngine {
  const choose = (capability: 'speech' | 'transcription', asked: string | undefined, configured: string | null) => {
    // This process recognizes and speaks itself, like a voice worker.
    const self = { pool: 'voice', models: providers.models(), providers: providers.status(), default_model: null };
    return chooseModel([self], { pool: 'voice', capability, asked, configured, path: `session.${capability}` });
  };
  const listener: VoiceEngine['listener'] = (asked) =>
    choose('transcription', asked?.includes('/') ? asked : undefined, config.voice.transcriptionModel);
  const speaker: VoiceEngine['speaker'] = ({ voice, speed }) => {
    const model = choose('speech', undefined, config.voice.speechModel);
    const voices = providers.voices(model).map((known) => ({ model, ...known }));
    return { model, voice: chooseVoice(voices, { model, asked: voice, path: 'session.audio.output.voice' }), speed };
  };
  return {
    providers,
    marks: createVoiceMarks(redis),
    lines: createVoiceLines(redis, hub, log),
    speaker,
    listener,
    warm: (asked) => {
      attempt(() => providers.prepare(listener(null)));
      attempt(() => {
        const { model, voice } = speaker({ voice: asked, speed: 1 });
        providers.prepare(model, voice ?? undefined);
      });
    },
  };
}
