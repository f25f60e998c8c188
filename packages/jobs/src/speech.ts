import { speech } from '@chorus/contract';
import { chooseSpeaker } from './choose-speaker.ts';
import { defineJobPlan } from './define-plan.ts';
import { invalidField } from './requested-files.ts';

export const speechJob = defineJobPlan(speech, {
  plan: async (request, requester, services) => {
    const { path } = requester;
    const { speed, instructions = '' } = request;
    const { model, voice } = await chooseSpeaker(services, requester, { model: request.model, voice: request.voice });
    const workers = await services.registry.recentWorkers();
    const options = workers.flatMap(({ models }) => models).find(({ id }) => id === model)?.speech_options;
    const { min = 1, max = 1 } = options?.speed ?? {};
    if (options !== undefined && (speed < min || speed > max))
      throw invalidField(`${path}.speed`, `must be ${min === max ? '1' : `from ${min} to ${max}`} for ${model}`);
    const isIgnored = instructions !== '' && options?.instructions === false;
    const input = {
      text: request.input,
      model,
      voice,
      format: request.format ?? request.response_format ?? 'mp3',
      speed,
      instructions: instructions === '' || isIgnored ? null : instructions,
      stream: request.stream,
      warnings: isIgnored ? [`${model} does not follow instructions. They were ignored.`] : [],
    };
    return { kind: 'speech', model, input, ignoredFields: isIgnored ? ['instructions'] : [] };
  },
});
