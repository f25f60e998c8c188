import type { AssetStore, StorageQuota } from '@chorus/assets';
import type { JobKind } from '@chorus/contract';
import type { Provenance } from '@chorus/provenance';
import type { Providers } from '@chorus/providers';
import type { JobContext } from '@chorus/worker-kit';

export type MediaJob = Pick<JobContext<JobKind>, 'owner' | 'executionId' | 'signal'> & {
  readonly input: { model: string };
};

/** Times for polling a provider. */
export interface VideoTimes {
  /** First interval; later ones are longer. */
  firstPauseMs: number;
  maxPauseMs: number;
  /** How long only errors may come from a provider before its operation is given up. */
  maxErrorsMs: number;
  downloadMs: number;
  /** How long to wait for the response to a request when the execution stops. No attempt can resume without it. */
  startGraceMs: number;
}

export interface MediaParts {
  assets: Pick<AssetStore, 'create' | 'get' | 'read' | 'view' | 'ofExecution'> & { quota: Pick<StorageQuota, 'check'> };
  provenance: Pick<Provenance, 'sign' | 'recordGenerated' | 'warnings'>;
  providers: Pick<
    Providers,
    'generateImage' | 'startVideo' | 'pollVideo' | 'cancelVideo' | 'renderVideo' | 'rendersVideos'
  >;
  videoTimes?: VideoTimes;
}

export function makerOf(model: string): { model: string; provider: string } {
  return { model, provider: model.split('/', 1)[0] as string };
}
