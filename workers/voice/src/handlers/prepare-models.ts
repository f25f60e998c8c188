import type { JobKind } from '@chorus/contract';
import type { JobContext } from '@chorus/worker-kit';
import type { VoiceParts } from './voice-parts.ts';

/** Loads local models at the same time, before each is needed, and says so while they are not loaded. */
export function prepareModels(
  { providers }: Pick<VoiceParts, 'providers'>,
  { emit }: Pick<JobContext<JobKind>, 'emit'>,
  models: readonly { model: string; voice?: string | null }[],
): void {
  const loaded = models.map(({ model, voice }) => providers.prepare(model, voice ?? undefined));
  const completed = loaded.filter(Boolean).length;
  if (completed < models.length)
    emit({ type: 'progress', progress: { completed, total: models.length, stage: 'preparing' } });
}
