import { z } from 'zod';
import { defineKind } from '../define-kind.ts';
import { delivery, modelName } from '../delivery.ts';
import { textItem } from '../execution.ts';
import { recordId } from '../ids.ts';

/** Writes the title of a session from its first messages. Runs by itself after the first answer. */
export const chatTitle = defineKind({
  kind: 'chat.title',
  surface: 'chat',
  pool: 'text',
  label: 'Title',
  path: '/sessions/title',
  route: {
    summary: 'Write a title for a session',
    description:
      "A model writes a short title from the session's first question and answer, and the session takes it unless its title changes meanwhile. New sessions get " +
      'one by themselves after their first answer. The execution is deleted shortly after its end; its usage remains.',
    refuses: ['not_found', 'invalid_request'],
  },
  request: z.strictObject({
    session_id: recordId.describe('`ses_…`'),
    model: modelName.optional().describe("`provider/model`. Default: the server's model for titles, or its default."),
    ...delivery,
  }),
  input: z.object({
    /** `provider/model` */
    model: z.string(),
    session_id: z.string(),
    /** The title that the new one may replace. */
    replaces: z.string().nullable(),
  }),
  output: textItem,
  capability: 'chat',
  timeoutMs: 60_000,
  isTransient: () => true,
  batchable: false,
});
