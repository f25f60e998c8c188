import type { ConnectionState, FeedFrame } from '@chorus/client';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { useScope } from '../scope/scope-context.tsx';
import { changedBy } from './changed-by.ts';
import { noteProgress } from './live-progress.ts';
import { refresh } from './refresh.ts';

type Listener = (event: FeedFrame) => void;

interface Live {
  connection: ConnectionState;
  /** Calls a function with all that happens, until what it returns is called. */
  listen: (listener: Listener) => () => void;
}

const Context = createContext<Live | null>(null);

/** Changes are looked up together after so many milliseconds: a burst of ends costs one look. */
const GATHER_MS = 400;

/** Hears of all that happens in the scope, and has looked up anew what is shown of it. */
export function LiveEvents({ children }: { children: ReactNode }) {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  const [connection, setConnection] = useState<ConnectionState>('connecting');
  const listeners = useRef(new Set<Listener>());

  useEffect(() => {
    const ending = new AbortController();
    const changed = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const lookUp = () => {
      timer = undefined;
      for (const what of changed) refresh(queryClient, [scopeKey, what]);
      changed.clear();
    };
    const follow = async () => {
      for await (const { event } of client.events.watch({ signal: ending.signal, onConnection: setConnection })) {
        noteProgress(event);
        for (const listener of listeners.current) listener(event);
        if (event.type === 'events.lost') refresh(queryClient, [scopeKey], { whole: true });
        for (const what of changedBy(event)) changed.add(what);
        if (changed.size > 0) timer ??= setTimeout(lookUp, GATHER_MS);
      }
    };
    follow().catch(() => {
      if (!ending.signal.aborted) setConnection('waiting');
    });
    return () => {
      ending.abort();
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
  return useLive().connection;
}

export function useLiveEvent(listener: Listener): void {
  const { listen } = useLive();
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  useEffect(() => listen((event) => latest.current(event)), [listen]);
}

function useLive(): Live {
  const live = useContext(Context);
  if (live === null) throw new Error('live events are for what stands within LiveEvents');
  return live;
}
