import type { Usage } from '@chorus/contract';
import type { VideoCall } from '@chorus/providers';
import type { JobContext } from '@chorus/worker-kit';
import type { Made } from './keep-made.ts';
import type { MediaParts } from './media-parts.ts';

/** A video in a file of ours, and what is known of it. */
export interface VideoFile extends Pick<Made, 'perceptualHash' | 'facts' | 'poster'> {
  path: string;
  usage: Usage;
  warnings: string[];
}

export type VideoStage = 'starting' | 'queued' | 'rendering' | 'downloading' | 'storing';

/** Tells how far it is; of what can't be counted `completed` stays 0 of 1. */
export type TellProgress = (stage: VideoStage, completed?: number, total?: number) => Promise<void> | undefined;

/** Makes a video into a file that does not exist yet. */
export type MakeVideo = (
  parts: MediaParts,
  job: JobContext<'iris.video'>,
  call: VideoCall,
  path: string,
  tell: TellProgress,
) => Promise<VideoFile>;
