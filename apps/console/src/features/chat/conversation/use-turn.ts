import type { BodyOf, ChatExecution } from '@chorus/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { notifyError } from '../../../data/notify.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { useChatSettings } from '../composer/use-chat-settings.ts';

type Turn = Pick<BodyOf<'POST /chat/completions'>, 'message' | 'attachments' | 'regenerate_from' | 'session_id'>;

/**
 * Begins turns. It only waits until one is queued: the answer is followed like any that runs already, so that a page which is loaded in its midst shows the same.
 */
export function useTurn(onBegun?: (execution: ChatExecution) => void) {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  const { model, usesKnowledge } = useChatSettings();
  return useMutation({
    mutationFn: (turn: Turn) =>
      client.chat.start({ ...turn, ...(model !== null && { model }), ...(usesKnowledge && { knowledge: {} }) }),
    onSuccess: async (execution) => {
      queryClient.invalidateQueries({ queryKey: [scopeKey, 'sessions'] });
      onBegun?.(execution);
      await queryClient.invalidateQueries({ queryKey: [scopeKey, 'messages', execution.session_id] });
    },
    onError: notifyError,
  });
}
