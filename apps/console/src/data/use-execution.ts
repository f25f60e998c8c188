import { type ConnectionState, type ExecutionProgress, NO_PROGRESS } from '@chorus/client';
import { useEffect, useRef, useState } from 'react';
import { useScope } from '../scope/scope-context.tsx';

interface FollowedExecution extends ExecutionProgress {
  connection: ConnectionState;
  /** Why following failed. The execution itself continues. */
  error: unknown;
}

const INITIAL: FollowedExecution = { ...NO_PROGRESS, connection: 'connecting', error: null };

/**
 * Follows an execution from its first event, wherever it was started, and through lost connections.
 *
 * @param id null to follow none
 * @param onEnd called once when the execution has ended
 */
export function useExecution(id: string | null, onEnd?: (last: ExecutionProgress) => void): FollowedExecution {
  const { client } = useScope();
  const [state, setState] = useState(INITIAL);
  const latestOnEnd = useRef(onEnd);
  useEffect(() => {
    latestOnEnd.current = onEnd;
  });

  useEffect(() => {
    setState(INITIAL);
    if (id === null) return;
    const controller = new AbortController();
    let known = INITIAL;
    let frame = 0;
    // Hundreds of deltas may arrive between two frames.
    const update = (change: Partial<FollowedExecution>) => {
      known = { ...known, ...change };
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        setState(known);
      });
    };
    const follow = async () => {
      const onConnection = (connection: ConnectionState) => update({ connection });
      const stream = client.jobs.watch(id, { signal: controller.signal, onConnection });
      for await (const progress of stream.states()) update(progress);
      latestOnEnd.current?.(stream.progress);
    };
    withStreamSlot(controller.signal, follow).catch((error: unknown) => {
      if (!controller.signal.aborted) update({ error });
    });
    return () => {
      controller.abort();
      cancelAnimationFrame(frame);
    };
  }, [client, id]);

  return state;
}

/** HTTP/1.1 browsers allow six connections per server for all tabs. Two streams per tab leave room for requests. */
const MAX_STREAMS = 2;

let openStreams = 0;
const waiting: (() => void)[] = [];

/** Runs `follow` once a stream may be opened. Returns without running it if the signal aborts first. */
export async function withStreamSlot(signal: AbortSignal, follow: () => Promise<void>): Promise<void> {
  while (openStreams >= MAX_STREAMS && !signal.aborted)
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  if (signal.aborted) return;
  openStreams += 1;
  try {
    await follow();
  } finally {
    openStreams -= 1;
    for (const wake of waiting.splice(0)) wake();
  }
}
