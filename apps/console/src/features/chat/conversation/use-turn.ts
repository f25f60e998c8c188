import type { BodyOf, ChatExecution } from '@chorus/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { messagesKey } from '../../../data/list-key.ts';
import { refresh } from '../../../data/refresh.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { acceptedParameters } from '../composer/model-parameters.ts';
import { useChatSettings } from '../composer/use-chat-settings.ts';
import { useCustomInstructions } from '../composer/use-custom-instructions.ts';
import { NEW, useModelParameters, useOfferedParameters } from '../composer/use-model-parameters.ts';

type Turn = Pick<BodyOf<'POST /chat/completions'>, 'message' | 'attachments' | 'regenerate_from' | 'session_id'> & {
  agent?: string | undefined;
  temporary?: boolean | undefined;
};

/**
 * Starts turns of a conversation. It waits only until a turn is queued; the answer is then followed like any other
 * running one.
 *
 * @param sessionId null for a new conversation
 */
export function useTurn(sessionId: string | null, onStarted?: (execution: ChatExecution) => void) {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  const { model, usesKnowledge, knowledgeTags } = useChatSettings();
  const { parameters, moveTo } = useModelParameters(sessionId ?? NEW);
  const offered = useOfferedParameters();
  const instructions = useCustomInstructions(sessionId ?? NEW);
  return useMutation({
    mutationFn: ({ agent, ...turn }: Turn) =>
      client.with({ agent }).chat.start({
        ...turn,
        ...(model !== null && { model }),
        ...acceptedParameters(parameters, offered),
        ...(instructions.isOn && { custom_instructions: true }),
        ...(usesKnowledge && { knowledge: knowledgeTags.length === 0 ? {} : { tags: knowledgeTags } }),
      }),
    onSuccess: async (execution) => {
      queryClient.invalidateQueries({ queryKey: [scopeKey, 'sessions'] });
      if (sessionId === null && execution.session_id !== null) {
        moveTo(execution.session_id);
        instructions.moveTo(execution.session_id);
      }
      onStarted?.(execution);
      if (execution.session_id === null) return;
      await refresh(queryClient, messagesKey(scopeKey, execution.session_id), { whole: true });
    },
  });
}
