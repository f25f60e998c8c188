import { z } from 'zod';

const fields = {
  name: z.string().trim().min(1).max(100),
  content: z
    .string()
    .trim()
    .min(1)
    .max(32_000)
    .describe('The text. `{{name}}` is a variable, filled in when the prompt is used'),
};

export const promptCreate = z.strictObject(fields);
export type PromptCreate = z.infer<typeof promptCreate>;

export const promptPatch = promptCreate.partial().refine((patch) => Object.keys(patch).length > 0, {
  error: `send at least one of ${Object.keys(fields).join(', ')}`,
});
export type PromptPatch = z.infer<typeof promptPatch>;

/** A text that is used again and again, such as from the message box of the console. */
export const prompt = z.object({
  id: z.string().describe('`prm_…`'),
  object: z.literal('prompt'),
  ...fields,
  user_id: z.string().describe('The creator'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type Prompt = z.infer<typeof prompt>;
