import type { irisVideo, Usage } from '@chorus/contract';
import type { VideoCall } from '@chorus/providers';
import type { JobContext } from '@chorus/worker-kit';
import type { MediaParts } from './media-parts.ts';
import type { GeneratedFile } from './store-generated.ts';

export interface VideoFile extends Pick<GeneratedFile, 'perceptualHash' | 'facts' | 'poster'> {
  path: string;
  usage: Usage;
  warnings: string[];
}

export type VideoStage = 'starting' | 'queued' | 'rendering' | 'downloading' | 'storing';

/** Reports progress; stages that cannot be counted stay at 0 of 1. */
export type ReportProgress = (stage: VideoStage, completed?: number, total?: number) => Promise<void> | undefined;

/** Makes a video in a file that does not exist yet. */
export type MakeVideo = (
  parts: MediaParts,
  job: JobContext<typeof irisVideo.kind>,
  call: VideoCall,
  path: string,
  report: ReportProgress,
) => Promise<VideoFile>;
