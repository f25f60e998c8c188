import type { z } from 'zod';
import type { Pool } from '../define-job.ts';
import { chatCompletion } from './chat-completion.ts';
import { irisImage } from './iris-image.ts';
import { irisOcr } from './iris-ocr.ts';
import { irisVerify } from './iris-verify.ts';
import { irisVideo } from './iris-video.ts';
import { knowledgeAskJob } from './knowledge-ask.ts';
import { knowledgeIngest } from './knowledge-ingest.ts';
import { knowledgeSearchJob } from './knowledge-search.ts';
import { voiceTurn } from './voice-turn.ts';

/** Every kind of execution. A new kind is one file and one line here. */
export const JOBS = {
  'chat.completion': chatCompletion,
  'iris.image': irisImage,
  'iris.video': irisVideo,
  'iris.ocr': irisOcr,
  'iris.verify': irisVerify,
  'knowledge.ingest': knowledgeIngest,
  'voice.turn': voiceTurn,
  'knowledge.ask': knowledgeAskJob,
  'knowledge.search': knowledgeSearchJob,
} as const;

export type JobKind = keyof typeof JOBS;
export type JobInput<K extends JobKind> = z.infer<(typeof JOBS)[K]['input']>;

/** The kinds that the workers of one pool must handle. */
export type KindsOf<P extends Pool> = { [K in JobKind]: (typeof JOBS)[K]['pool'] extends P ? K : never }[JobKind];

export function isJobKind(kind: string): kind is JobKind {
  return Object.hasOwn(JOBS, kind);
}
