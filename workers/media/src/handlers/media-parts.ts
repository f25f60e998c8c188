import type { AssetStore, StorageQuota } from '@chorus/assets';
import type { Provenance } from '@chorus/provenance';
import type { Providers } from '@chorus/providers';

/** How a provider is asked for a video that it makes, in milliseconds. */
export interface VideoPatience {
  /** Between the first two times; each pause is longer than the one before. */
  firstPauseMs: number;
  longestPauseMs: number;
  /** So long nothing but trouble is heard of a provider, before what it may still be making is given up. */
  troubleMs: number;
  /** A download takes no longer. */
  downloadMs: number;
  /** When the execution stops while a video is handed in, the answer is waited for so long: without it nobody could go on. */
  lastWordMs: number;
}

export interface MediaParts {
  assets: Pick<AssetStore, 'create' | 'get' | 'read' | 'view' | 'ofExecution'> & { quota: Pick<StorageQuota, 'check'> };
  provenance: Pick<Provenance, 'finish' | 'recordGenerated'>;
  providers: Pick<
    Providers,
    'generateImage' | 'startVideo' | 'pollVideo' | 'cancelVideo' | 'renderVideo' | 'rendersVideos'
  >;
  /** Absent: the usual. */
  videoPatience?: VideoPatience;
}

/** Who makes it, as the execution tells it. */
export function makerOf(model: string): { model: string; provider: string } {
  return { model, provider: model.split('/', 1)[0] as string };
}
