import { chooseModel, chooseVoice } from '@chorus/executions';
import type { JobServices, Requester } from './define-plan.ts';

export interface Speaker {
  /** `provider/model` */
  model: string;
  /** Null: the model's default voice. */
  voice: string | null;
}

/**
 * Chooses the speech model and the voice of a request, or of its agent.
 * @param field name of the field that requests the model
 * @throws {ChorusError} `model_not_found`, `overloaded`; `invalid_request` for an unknown voice
 */
export async function chooseSpeaker(
  { registry, config }: Pick<JobServices, 'registry' | 'config'>,
  { agent, path }: Pick<Requester, 'agent' | 'path'>,
  asked: { model: string | undefined; voice: string | undefined },
  field = 'model',
): Promise<Speaker> {
  const workers = await registry.recentWorkers();
  const model = chooseModel(workers, {
    pool: 'voice',
    capability: 'speech',
    asked: asked.model,
    configured: config.voice.speechModel,
    path: `${path}.${field}`,
  });
  const voices = workers.flatMap((worker) => worker.voices ?? []);
  const [voice, place] = asked.voice === undefined ? [agent?.voice, 'agent.voice'] : [asked.voice, `${path}.voice`];
  return { model, voice: chooseVoice(voices, { model, asked: voice ?? null, path: place }) };
}
