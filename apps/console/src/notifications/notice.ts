import type { FeedFrame } from '@chorus/client';
import { t } from '../i18n/i18n.ts';

/** An answer that the user may be waiting for. */
export interface Notice {
  title: string;
  executionId: string;
  sessionId: string;
}

/** Users leave the tab for answers that take longer. */
const LONG_MS = 20_000;

/** Returns the notice of an event: that a long answer of the user has ended, or that one waits for approval. */
export function noticeOf(event: FeedFrame, userId: string): Notice | null {
  if (!('surface' in event) || event.surface !== 'chat' || event.session_id === null) return null;
  if (event.user_id !== userId) return null;
  const title = titleOf(event);
  return title === null ? null : { title, executionId: event.execution_id, sessionId: event.session_id };
}

function titleOf(event: FeedFrame): string | null {
  if (event.type === 'execution.requires_action') return t('common.answerAwaitsApproval');
  if (!('duration_ms' in event) || event.duration_ms === null || event.duration_ms < LONG_MS) return null;
  if (event.type === 'execution.succeeded') return t('common.answerReady');
  return event.type === 'execution.failed' ? t('common.answerFailed') : null;
}
