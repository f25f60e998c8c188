import { useLocalStorage } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { messagesKey } from '../../../data/list-key.ts';
import { notifyError } from '../../../data/notify.ts';
import { useModels } from '../../../data/queries.ts';
import { refresh } from '../../../data/refresh.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { useCustomInstructions } from '../composer/use-custom-instructions.ts';
import { NEW } from '../composer/use-model-parameters.ts';
import { erase } from '../conversation/temporary-notice.tsx';

export const MAX_COMPARED = 3;

/** A model with its own temporary conversation. */
export interface Column {
  key: string;
  model: string;
  /** Null until its first question is sent. */
  sessionId: string | null;
  /** The question that is being sent. */
  pending: string | null;
  /** The answer that is being written. */
  executionId: string | null;
  error: Error | null;
}

const NO_MODELS: string[] = [];

const columnOf = (model: string): Column => ({
  key: crypto.randomUUID(),
  model,
  sessionId: null,
  pending: null,
  executionId: null,
  error: null,
});

/** Chooses the models of the last comparison that still exist, otherwise the first two. */
function initialModels(remembered: readonly string[], known: readonly string[]): string[] {
  const still = remembered.filter((model) => known.includes(model)).slice(0, MAX_COMPARED);
  return still.length > 0 ? still : known.slice(0, 2);
}

export function useComparison() {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const models = useModels('chat').map(({ id }) => id);
  const [remembered, remember] = useLocalStorage({
    key: 'chorus.chat.compared',
    defaultValue: NO_MODELS,
    getInitialValueInEffect: false,
  });
  const [chosen, setChosen] = useState<Column[] | null>(null);
  const columns = chosen ?? initialModels(remembered, models).map(columnOf);
  // Until they are stored, each render creates new columns.
  const isReady = models.length > 0;
  useEffect(() => {
    if (chosen === null && isReady) setChosen(columns);
  });
  const instructions = useCustomInstructions(NEW);
  const change = useCallback(
    (key: string, fields: Partial<Column>) =>
      setChosen((all) => all?.map((one) => (one.key === key ? { ...one, ...fields } : one)) ?? null),
    [],
  );

  const setModels = (next: Column[]) => {
    setChosen(next);
    remember(next.map(({ model }) => model));
  };

  const latest = useRef(columns);
  latest.current = columns;
  const eraseAll = useCallback(
    (except: string | null = null) => {
      for (const { sessionId } of latest.current)
        if (sessionId !== null && sessionId !== except) void erase(client, sessionId);
    },
    [client],
  );
  /** The conversation that is continued. */
  const kept = useRef<string | null>(null);
  useEffect(
    () => () => {
      // Effects also run again while the page stays.
      if (!location.pathname.endsWith('/chat/compare')) eraseAll(kept.current);
    },
    [eraseAll],
  );

  const askOne = async ({ key, model, sessionId }: Column, message: string) => {
    change(key, { pending: message, error: null });
    try {
      const started = await client.chat.start({
        message,
        model,
        ...(sessionId === null ? { temporary: true } : { session_id: sessionId }),
        ...(instructions.isOn && { custom_instructions: true }),
      });
      change(key, { sessionId: started.session_id, executionId: started.id });
      if (started.session_id !== null)
        await refresh(queryClient, messagesKey(scopeKey, started.session_id), { whole: true });
    } catch (error) {
      change(key, { error: error as Error });
    } finally {
      change(key, { pending: null });
    }
  };

  return {
    columns,
    models,
    hasBegun: columns.some(({ sessionId, pending }) => sessionId !== null || pending !== null),
    isAnswering: columns.some(({ pending, executionId }) => pending !== null || executionId !== null),
    addColumn: () => {
      const unused = models.find((model) => !columns.some((column) => column.model === model));
      setModels([...columns, columnOf(unused ?? models[0] ?? '')]);
    },
    removeColumn: (key: string) => setModels(columns.filter((column) => column.key !== key)),
    setModel: (key: string, model: string) =>
      setModels(columns.map((column) => (column.key === key ? { ...column, model } : column))),
    ask: (message: string) => {
      for (const column of columns) void askOne(column, message);
    },
    stop: () => {
      for (const { executionId } of columns)
        if (executionId !== null) client.jobs.cancel(executionId).catch(notifyError);
    },
    onEnd: useCallback((key: string) => change(key, { executionId: null }), [change]),
    startOver: () => {
      eraseAll();
      setChosen(columns.map(({ model }) => columnOf(model)));
    },
    continueWith: async ({ sessionId }: Column) => {
      if (sessionId === null) return;
      try {
        await client.sessions.update(sessionId, { temporary: false });
      } catch (error) {
        return notifyError(error);
      }
      kept.current = sessionId;
      void queryClient.invalidateQueries({ queryKey: [scopeKey, 'sessions'] });
      navigate(`/chat/${sessionId}`);
    },
  };
}
