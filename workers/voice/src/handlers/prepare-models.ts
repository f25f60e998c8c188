import type { JobKind } from '@chorus/contract';
import type { JobContext } from '@chorus/worker-kit';
import type { VoiceParts } from './voice-parts.ts';

/** Loads local models in parallel before they are needed, and reports progress until they are loaded. */
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
