import { z } from 'zod';

const MAX_CHARS = 4_000;

/** A user's own instructions, for turns with `custom_instructions`. */
export const customInstructions = z.object({
  object: z.literal('custom_instructions'),
  about_me: z.string(),
  answer_style: z.string(),
  enabled: z.boolean(),
});
export type CustomInstructions = Omit<z.infer<typeof customInstructions>, 'object'>;

export const NO_INSTRUCTIONS: CustomInstructions = { about_me: '', answer_style: '', enabled: true };

const text = z.string().trim().max(MAX_CHARS).optional();

/** `PATCH /me/instructions` */
export const customInstructionsPatch = z
  .strictObject({
    about_me: text.describe('What models should know about you'),
    answer_style: text.describe('How models should answer'),
    enabled: z.boolean().optional().describe('Whether the console uses them in new conversations. Default: true'),
  })
  .refine((patch) => Object.keys(patch).length > 0, { error: 'send at least one of about_me, answer_style, enabled' });

/** Returns the text to put before an agent's instructions. Null: none. */
export function instructionText({ about_me, answer_style }: CustomInstructions): string | null {
  const parts = [
    about_me === '' ? null : `About the user:\n${about_me}`,
    answer_style === '' ? null : `How the user wants you to answer:\n${answer_style}`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join('\n\n');
}
