import type { z } from 'zod';

/** Worker pools; each is a folder under workers/ and a queue of its own. */
export const POOLS = ['text', 'media', 'vision', 'knowledge', 'voice', 'system'] as const;
export type Pool = (typeof POOLS)[number];

export interface JobPolicy {
  /** BullMQ attempts, for thrown errors alone; 1 where retries happen inside the provider call. */
  attempts: number;
  /** The longest that one attempt may run, in milliseconds. */
  timeoutMs: number;
}

export interface JobDefinition<
  Kind extends string = string,
  P extends Pool = Pool,
  Input extends z.ZodType = z.ZodType,
> {
  readonly kind: Kind;
  readonly surface: 'chat' | 'iris' | 'knowledge' | 'voice';
  readonly pool: P;
  /** What the queue carries; the worker parses it again. */
  readonly input: Input;
  readonly policy: JobPolicy;
}

/** A job as data: types, dispatch, handlers and documents derive from it. */
export function defineJob<const Kind extends string, const P extends Pool, Input extends z.ZodType>(
  definition: JobDefinition<Kind, P, Input>,
): JobDefinition<Kind, P, Input> {
  return definition;
}
