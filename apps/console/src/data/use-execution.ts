import { type ConnectionState, type ExecutionProgress, NO_PROGRESS } from '@chorus/client';
import { useEffect, useRef, useState } from 'react';
import { useScope } from '../scope/scope-context.tsx';
import { takeStreamSlot } from './stream-slots.ts';

export interface FollowedExecution extends ExecutionProgress {
  connection: ConnectionState;
  /** Why it can't be followed any more; what runs goes on. */
  error: unknown;
}

const NOTHING: FollowedExecution = { ...NO_PROGRESS, connection: 'connecting', error: null };

/**
 * Follows an execution from its first event: begun here or elsewhere, before or after the page was loaded. A lost connection goes on where it was.
 *
 * @param id null: there is none to follow
 * @param onEnd called once when it has ended
 */
export function useExecution(id: string | null, onEnd?: (last: ExecutionProgress) => void): FollowedExecution {
  const { client } = useScope();
  const [state, setState] = useState(NOTHING);
  const latestOnEnd = useRef(onEnd);
  useEffect(() => {
    latestOnEnd.current = onEnd;
  });

  useEffect(() => {
    setState(NOTHING);
    if (id === null) return;
    const ending = new AbortController();
    let known = NOTHING;
    let frame = 0;
    // Hundreds of words may come between two pictures of the screen.
    const show = (change: Partial<FollowedExecution>) => {
      known = { ...known, ...change };
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        setState(known);
      });
    };
    const follow = async () => {
      const onConnection = (connection: ConnectionState) => show({ connection });
      const giveBack = await takeStreamSlot(ending.signal);
      if (giveBack === null) return;
      ending.signal.addEventListener('abort', giveBack);
      try {
        const stream = client.jobs.watch(id, { signal: ending.signal, onConnection });
        for await (const progress of stream.states()) show(progress);
        latestOnEnd.current?.(stream.progress);
      } finally {
        giveBack();
      }
    };
    follow().catch((error: unknown) => {
      if (!ending.signal.aborted) show({ error });
    });
    return () => {
      ending.abort();
      cancelAnimationFrame(frame);
    };
  }, [client, id]);

  return state;
}
