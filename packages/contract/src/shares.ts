import { z } from 'zod';
import { citationItem } from './citation.ts';
import { recordId } from './ids.ts';
import { listQuery } from './list.ts';

/** Messages that one link may show. */
export const MAX_SHARED_MESSAGES = 2_000;

export const share = z.object({
  id: z.string().describe('`shr_…`'),
  object: z.literal('share'),
  session_id: z.string(),
  title: z.string().nullable().describe("The session's title, which the link shows"),
  message_count: z.int(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable(),
});
export type Share = z.infer<typeof share>;

/** A link of any member of a scope, for its admins. */
export const memberShare = share.extend({ user_id: z.string().describe('The member who made it') });
export type MemberShare = z.infer<typeof memberShare>;

export const createdShare = share.extend({
  token: z.string().describe('Gives access to `GET /shared/{token}`. Shown only once'),
  url: z.string().describe('The page that shows the conversation. Contains the token'),
});
export type CreatedShare = z.infer<typeof createdShare>;

export const shareCreate = z.strictObject({
  message_id: recordId
    .optional()
    .describe('`msg_…`: the last message to share. Default: the last one of the conversation.'),
  expires_at: z.iso
    .datetime({ offset: true })
    .transform((time) => new Date(time))
    .refine((time) => time > new Date(), { error: 'must be in the future' })
    .nullish()
    .describe('Default: never'),
});
export type ShareCreate = z.infer<typeof shareCreate>;

export const sharesQuery = listQuery.extend({
  session_id: recordId.optional().describe('`ses_…`: only links to this session.'),
});
export type SharesQuery = z.infer<typeof sharesQuery>;

export const sharedSession = z.object({
  object: z.literal('shared_session'),
  title: z.string().nullable(),
  shared_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable(),
});
export type SharedSession = z.infer<typeof sharedSession>;

export const sharedMessage = z.object({
  object: z.literal('shared_message'),
  number: z.int().describe('Its place in the conversation, from 1'),
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  citations: z
    .array(citationItem.pick({ marker: true, title: true, heading_path: true, page: true, quote: true }))
    .max(1_000),
  images: z.array(z.string()).max(100).describe('Ids for `GET /shared/{token}/images/{asset_id}`'),
  created_at: z.iso.datetime(),
});
export type SharedMessage = z.infer<typeof sharedMessage>;
