import { assetFactsOf } from '@chorus/assets';
import { type AssetFacts, ChorusError, SPEECH_LIMITS, type Usage, usage as usageSchema } from '@chorus/contract';
import { sumUsage } from '@chorus/providers/usage';
import { findLanguageProblem } from '@chorus/speech';
import type { Handler, JobContext } from '@chorus/worker-kit';
import { z } from 'zod';
import { prepareModels } from './prepare-models.ts';
import { SoundOutput } from './sound-output.ts';
import { storeAudio, unsignedWarnings } from './store-audio.ts';
import { providerOf, type VoiceParts } from './voice-parts.ts';

/** Checkpoint before the audio is stored, so that an attempt that finds it does not count it twice. */
const saved = z.object({ usage: usageSchema });

/** Speaks a text. The output is the audio, which is also streamed as it is generated. */
export const speech = (parts: Pick<VoiceParts, 'assets' | 'provenance' | 'providers'>): Handler<'speech'> => ({
  async run(job) {
    const { model, text } = job.input;
    const problem = findLanguageProblem(parts.providers, model, text);
    if (problem?.isSilent) throw new ChorusError('invalid_request', problem.message);
    const warnings = [...job.input.warnings, ...(problem === null ? [] : [problem.message])];
    const maker = { model, provider: providerOf(model) };
    job.note({ ...maker, warnings });
    prepareModels(parts, job, [{ model }]);
    const spent = parts.providers.costOfSpeech({ model, text });
    const usage: Usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: spent };
    const paid = saved.safeParse(job.checkpoint.value).data?.usage;
    if (paid) job.note({ usage: paid });
    const before = await storedBefore(parts, job);
    const total = paid === undefined ? usage : before === null ? sumUsage(paid, usage) : paid;
    const made = before ?? (await speak(parts, job, total, () => job.note({ usage: total, unsaved: () => usage })));
    const item = { type: 'asset' as const, asset: made.asset };
    job.emit({ type: 'output.item', index: 0, item });
    return {
      output: [item],
      usage: total,
      ...maker,
      finish_reason: 'stop',
      warnings: [...warnings, ...made.warnings],
    };
  },
});

interface Spoken {
  asset: AssetFacts;
  warnings: string[];
}

/** Returns the audio that an earlier attempt stored. */
async function storedBefore(
  { assets, provenance }: Pick<VoiceParts, 'assets' | 'provenance'>,
  { input: { model }, owner, executionId, attempt }: JobContext<'speech'>,
): Promise<Spoken | null> {
  if (attempt === 1) return null;
  const [asset] = await assets.ofExecution(owner, executionId);
  if (asset === undefined) return null;
  await provenance.recordGenerated({ asset, executionId, model, unsignedSha256: asset.sha256 });
  return { asset: assetFactsOf(asset), warnings: [] };
}

async function speak(
  parts: Pick<VoiceParts, 'assets' | 'provenance' | 'providers'>,
  job: JobContext<'speech'>,
  total: Usage,
  onSound: () => void,
): Promise<Spoken> {
  const { input, caller, signal, emit, checkpoint } = job;
  const { text, model, voice, speed, instructions, format, stream } = input;
  const longestMs = SPEECH_LIMITS.spokenMs;
  const sound = new SoundOutput({ format, index: 0, longestMs, emit: stream ? emit : null, onSound });
  const call = {
    model,
    text,
    ...(voice !== null && { voice }),
    ...(speed !== 1 && { speed }),
    ...(instructions !== null && { instructions }),
  };
  const hearAll = async () => {
    for await (const pcm of parts.providers.streamSpeech(call, { signal, ...caller })) {
      await sound.hear(pcm);
      if (sound.isCut) break;
    }
    return sound.end();
  };
  const { file, durationMs, warnings } = await hearAll().finally(() => sound.close());
  await checkpoint.save({ usage: total } satisfies z.infer<typeof saved>);
  const asset = await storeAudio(parts, job, { model, format, file, durationMs, said: text, index: 0 });
  return { asset, warnings: [...warnings, ...unsignedWarnings(parts, format)] };
}
