import type { Database } from '@chorus/database';

export type ConversationStore = Pick<
  Database,
  'sessions' | 'messages' | 'messageRevisions' | 'executions' | 'knowledge'
>;
