import { z } from 'zod';

/** A component that a process needs and this machine lacks. */
export const missingComponent = z.object({
  name: z.string().max(64).describe('Such as `search` or `signing`'),
  feature: z.string().max(200).describe('What does not work'),
  optional: z.boolean().default(false).describe('Whether everything else of the feature works without it'),
  message: z.string().max(1_000).describe('What is missing, and what to install'),
});
export type MissingComponent = z.infer<typeof missingComponent>;

export const MAX_COMPONENTS = 50;
