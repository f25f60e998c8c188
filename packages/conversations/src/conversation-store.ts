import type { Database } from '@chorus/database';

/** The repositories that turns and their messages are kept in. */
export type ConversationStore = Pick<
  Database,
  'sessions' | 'messages' | 'messageRevisions' | 'executions' | 'knowledge'
>;
