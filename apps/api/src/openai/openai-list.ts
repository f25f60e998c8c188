import { z } from 'zod';

/** A page in OpenAI's form. Its clients pass the last id as `after`. */
export function openAiListOf<T extends z.ZodType>(item: T, max: number) {
  return z.object({
    object: z.literal('list'),
    data: z.array(item).max(max),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  });
}

export function presentList<T extends { id: string }>(data: T[], has_more: boolean) {
  const [first_id, last_id] = [data[0]?.id ?? null, data.at(-1)?.id ?? null];
  return { object: 'list' as const, data, first_id, last_id, has_more };
}
