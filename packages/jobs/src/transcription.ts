import { type ModelRecord, transcription, type WorkerHealth } from '@chorus/contract';
import { chooseModel } from '@chorus/executions';
import { defineJobPlan, type JobRequest } from './define-plan.ts';
import { checkSound, invalidField } from './requested-files.ts';

type Options = NonNullable<ModelRecord['transcription_options']>;
type Request = JobRequest<'transcription'>;

/** Models to list in an error. */
const MAX_NAMED = 10;

export const transcriptionJob = defineJobPlan(transcription, {
  plan: async (request, { owner, path }, services) => {
    const { task, asset_id, language = null, prompt = '', temperature = null } = request;
    const workers = await services.registry.recentWorkers();
    const models = workers.flatMap((worker) => (worker.pool === 'voice' ? worker.models : []));
    const able = task === 'translate' ? models.find((one) => one.transcription_options?.translates) : undefined;
    const { transcriptionModel } = services.config.voice;
    const model = chooseModel(workers, {
      pool: 'voice',
      capability: 'transcription',
      asked: request.model,
      configured: transcriptionModel ?? able?.id ?? null,
      path: `${path}.model`,
    });
    const options = models.find(({ id }) => id === model)?.transcription_options;
    if (options !== undefined) checkOptions(request, { model, options, workers, path });
    checkTranslation(request, path);
    const { duration_ms } = await checkSound(services, owner, asset_id, `${path}.asset_id`);
    const isIgnored = temperature !== null && options?.temperature === false;
    const input = {
      asset_id,
      duration_ms,
      model,
      task,
      language,
      prompt: prompt === '' ? null : prompt,
      temperature: isIgnored ? null : temperature,
      words: wantsWords(request),
      warnings: isIgnored ? [`${model} has no temperature. It was ignored.`] : [],
    };
    return { kind: 'transcription', model, input, ignoredFields: isIgnored ? ['temperature'] : [] };
  },
});

const wantsWords = ({ timestamp_granularities = [] }: Request) => timestamp_granularities.includes('word');

/** @throws {ChorusError} `invalid_request` for options that the model does not support */
function checkOptions(
  request: Request,
  at: { model: string; options: Options; workers: readonly WorkerHealth[]; path: string },
): void {
  const { model, options, workers, path } = at;
  const { task, language, prompt = '' } = request;
  if (task === 'translate' && !options.translates) {
    const able = workers.flatMap(({ models }) =>
      models.flatMap(({ id, transcription_options }) => (transcription_options?.translates ? id : [])),
    );
    const others = [...new Set(able)].slice(0, MAX_NAMED).join(', ');
    const advice = others === '' ? 'No available model can.' : `These can: ${others}.`;
    throw invalidField(`${path}.model`, `${model} cannot translate into English. ${advice}`);
  }
  const [base] = language?.split('-', 1) ?? [];
  if (base !== undefined && options.languages !== null && !options.languages.includes(base)) {
    const known = options.languages.join(', ');
    throw invalidField(`${path}.language`, `must be ${known} for ${model}. ${modelsFor(base, workers)}`);
  }
  if (prompt !== '' && !options.prompt) throw invalidField(`${path}.prompt`, `is not supported by ${model}`);
  if (wantsWords(request) && !options.timestamps.includes('word'))
    throw invalidField(`${path}.timestamp_granularities`, `must not have \`word\`: ${model} reports no times of words`);
}

/** Lists models that may know a language. */
function modelsFor(language: string, workers: readonly WorkerHealth[]): string {
  const able = workers.flatMap(({ models }) =>
    models.flatMap(({ id, capabilities, transcription_options: options }) =>
      capabilities.includes('transcription') && (options?.languages?.includes(language) ?? true) ? id : [],
    ),
  );
  const named = [...new Set(able)].slice(0, MAX_NAMED).join(', ');
  return named === '' ? `No available model knows \`${language}\`.` : `These may know \`${language}\`: ${named}.`;
}

/** For translations, providers detect the language, and report no word times. */
function checkTranslation(request: Request, path: string): void {
  if (request.task !== 'translate') return;
  if (request.language !== undefined) throw invalidField(`${path}.language`, 'must be omitted for a translation');
  if (wantsWords(request))
    throw invalidField(`${path}.timestamp_granularities`, 'must not have `word` for a translation');
}
