import type { z } from 'zod';
import type { Pool } from '../define-job.ts';
import { chatCompletion } from './chat-completion.ts';

/** Every kind of execution. A new kind is one file and one line here. */
export const JOBS = {
  'chat.completion': chatCompletion,
} as const;

export type JobKind = keyof typeof JOBS;
export type JobInput<K extends JobKind> = z.infer<(typeof JOBS)[K]['input']>;

/** The kinds that the workers of one pool must handle. */
export type KindsOf<P extends Pool> = { [K in JobKind]: (typeof JOBS)[K]['pool'] extends P ? K : never }[JobKind];

export function isJobKind(kind: string): kind is JobKind {
  return Object.hasOwn(JOBS, kind);
}
