import { createVoiceLines, createVoiceMarks, type VoiceLines, type VoiceMarks } from '@chorus/conversations';
import { connectRedis, noteOutages } from '@chorus/events';
import { chooseModel, chooseVoice } from '@chorus/executions';
import { openProviders, type Providers } from '@chorus/providers';
import type { VoiceServices } from '../voice-services.ts';
import type { Speaker } from './answer-sound.ts';

/** What all conversations of a process hear and speak by. */
export interface VoiceEngine {
  readonly providers: Providers;
  readonly marks: VoiceMarks;
  readonly lines: VoiceLines;
  /**
   * Returns the model and the voice that speak.
   *
   * @throws {ChorusError} `model_not_found` where no model can speak; `invalid_request` for an unknown voice
   */
  speaker(asked: { voice: string | null; speed: number }): Speaker;
  /**
   * The model that hears. One that is named without its provider, as OpenAI's clients do, is the usual one.
   *
   * @throws {ChorusError} model_not_found
   */
  listener(asked: string | null): string;
  /** Loads what usually hears and speaks, and a voice that was asked for, unless that is done: nobody should wait for it later. */
  warm(voice: string | null): void;
}

export interface OpenVoiceEngine {
  /** Loaded by the first who asks. */
  ready(): Promise<VoiceEngine>;
  close(): void;
}

export function openVoiceEngine(services: VoiceServices): OpenVoiceEngine {
  const { config, redis, log } = services;
  let loading: Promise<VoiceEngine> | null = null;
  let close = () => {};
  const load = async (): Promise<VoiceEngine> => {
    const subscriber = connectRedis(config.redis, 'worker');
    noteOutages(subscriber, config.redis, log);
    const providers = await openProviders(config, { redis, subscriber, log });
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

/** Makes something ready; where nobody can, the first who needs it is told. */
function attempt(prepare: () => void): void {
  try {
    prepare();
  } catch {}
}

function engineOver({ config, redis, hub, log }: VoiceServices, providers: Providers): VoiceEngine {
  const choose = (capability: 'speech' | 'transcription', asked: string | undefined, configured: string | null) => {
    // This process hears and speaks itself, as a voice worker does.
    const self = { pool: 'voice', models: providers.models(), providers: providers.status(), default_model: null };
    return chooseModel([self], { pool: 'voice', capability, asked, configured, path: `session.${capability}` });
  };
  const listener: VoiceEngine['listener'] = (asked) =>
    choose('transcription', asked?.includes('/') ? asked : undefined, config.voice.transcriptionModel);
  const speaker: VoiceEngine['speaker'] = ({ voice, speed }) => {
    const model = choose('speech', undefined, config.voice.speechModel);
    const voices = providers.voices(model).map(({ id }) => ({ model, id }));
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
