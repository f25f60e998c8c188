import type { BodyOf, ChatExecution } from '@chorus/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { refresh } from '../../../data/refresh.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { useChatSettings } from '../composer/use-chat-settings.ts';
import { messagesKey } from './use-messages.ts';

type Turn = Pick<BodyOf<'POST /chat/completions'>, 'message' | 'attachments' | 'regenerate_from' | 'session_id'> & {
  agent?: string | undefined;
};

/** Starts turns. It waits only until a turn is queued; the answer is then followed like any other running one. */
export function useTurn(onStarted?: (execution: ChatExecution) => void) {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  const { model, usesKnowledge, knowledgeTags } = useChatSettings();
  return useMutation({
    mutationFn: ({ agent, ...turn }: Turn) =>
      client.with({ agent }).chat.start({
        ...turn,
        ...(model !== null && { model }),
        ...(usesKnowledge && { knowledge: knowledgeTags.length === 0 ? {} : { tags: knowledgeTags } }),
      }),
    onSuccess: async (execution) => {
      queryClient.invalidateQueries({ queryKey: [scopeKey, 'sessions'] });
      onStarted?.(execution);
      if (execution.session_id === null) return;
      await refresh(queryClient, messagesKey(scopeKey, execution.session_id), { whole: true });
    },
  });
}
