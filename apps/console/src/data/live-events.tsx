import type { ConnectionState, FeedFrame, Progress } from '@chorus/client';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useScope } from '../scope/scope-context.tsx';
import { refresh } from './refresh.ts';
import { applySessionEvent, refreshMessages } from './session-events.ts';

type Listener = (event: FeedFrame) => void;

interface LiveFeed {
  connection: ConnectionState;
  /** Calls the listener for every event. Returns a function that unsubscribes it. */
  listen: (listener: Listener) => () => void;
}

const Context = createContext<LiveFeed | null>(null);

/** Changes are collected for this long, so that a burst of events causes one refresh. */
const BATCH_MS = 400;

/** Follows the event feed of the scope and refreshes the lists that an event changes. */
export function LiveEvents({ children }: { children: ReactNode }) {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  const [connection, setConnection] = useState<ConnectionState>('connecting');
  const listeners = useRef(new Set<Listener>());

  useEffect(() => {
    const controller = new AbortController();
    const changed = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refreshChanged = () => {
      timer = undefined;
      for (const list of changed) refresh(queryClient, [scopeKey, list]);
      changed.clear();
    };
    const follow = async () => {
      for await (const { event } of client.events.watch({ signal: controller.signal, onConnection: setConnection })) {
        recordProgress(event);
        void refreshMessages(queryClient, scopeKey, event);
        void applySessionEvent({ client, queryClient, scopeKey }, event);
        for (const listener of listeners.current) listener(event);
        if (event.type === 'events.lost') refresh(queryClient, [scopeKey], { whole: true });
        for (const list of changedBy(event)) changed.add(list);
        if (changed.size > 0) timer ??= setTimeout(refreshChanged, BATCH_MS);
      }
    };
    follow().catch(() => {
      if (!controller.signal.aborted) setConnection('waiting');
    });
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [client, scopeKey, queryClient]);

  const [listen] = useState(() => (listener: Listener) => {
    listeners.current.add(listener);
    return () => void listeners.current.delete(listener);
  });
  return <Context value={{ connection, listen }}>{children}</Context>;
}

export function useConnection(): ConnectionState {
  return useLiveFeed().connection;
}

export function useLiveEvent(listener: Listener): void {
  const { listen } = useLiveFeed();
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  useEffect(() => listen((event) => latest.current(event)), [listen]);
}

function useLiveFeed(): LiveFeed {
  const live = useContext(Context);
  if (live === null) throw new Error('useLiveFeed must be used inside LiveEvents');
  return live;
}

/** Progress by execution, from the event feed. Lists need no stream per row. */
const progressById = new Map<string, Progress>();
const progressListeners = new Set<() => void>();

function recordProgress(event: FeedFrame): void {
  if (event.type === 'execution.progress') progressById.set(event.execution_id, event.progress);
  else if (!('output' in event) || !progressById.delete(event.execution_id)) return;
  for (const listener of progressListeners) listener();
}

function subscribe(listener: () => void): () => void {
  progressListeners.add(listener);
  return () => void progressListeners.delete(listener);
}

/** Returns the latest progress of a running execution; undefined if none was reported since the page loaded. */
export function useLiveProgress(executionId: string | null): Progress | undefined {
  return useSyncExternalStore(subscribe, () => (executionId === null ? undefined : progressById.get(executionId)));
}

/** Returns the lists that an event changes, as in the second part of their query keys. */
function changedBy(event: FeedFrame): string[] {
  if (event.type === 'events.opened' || event.type === 'events.lost') return [];
  if (event.type === 'asset.created' || event.type === 'asset.deleted') return ['assets'];
  if (event.type === 'session.updated' || event.type === 'session.deleted') return ['sessions'];
  if (event.type === 'folder.updated') return ['folders'];
  if (event.type === 'folder.deleted') return ['folders', 'sessions'];
  if ('counts' in event) return ['batches'];
  const lists = ['jobs'];
  if (event.type === 'execution.progress') return lists;
  if (event.session_id !== null) lists.push('sessions');
  if (event.surface === 'knowledge') lists.push('knowledge');
  return lists;
}
