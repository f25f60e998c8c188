import { ChorusError } from '@chorus/client';
import { notifyManager, QueryClient } from '@tanstack/react-query';

// What is pending is drawn before another click can come: two clicks on a slow machine would send twice.
notifyManager.setScheduler(queueMicrotask);

/** Everything that was read from the server. The feed of the scope says what has changed, so nothing is asked for again by the clock. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // A platform on one's own machine is reached without a network, and a request that fails says so: nothing waits in silence for a network.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        refetchOnReconnect: true,
        staleTime: 30_000,
        // The client has tried again already what a further try can help.
        retry: (failures, error) => failures < 1 && error instanceof ChorusError && error.retryable,
      },
    },
  });
}
