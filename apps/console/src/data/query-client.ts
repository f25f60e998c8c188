import { ChorusError } from '@chorus/client';
import { notifyManager, QueryClient } from '@tanstack/react-query';
import { notifyError } from './notify.ts';

// Renders pending state before the next click: two quick clicks would otherwise send twice.
notifyManager.setScheduler(queueMicrotask);

/** Creates the query cache. The event feed reports changes, so only the queues of all users are polled. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // A local platform works without a network, so requests fail at once instead of waiting for one.
      mutations: { networkMode: 'always', onError: notifyError },
      queries: {
        networkMode: 'always',
        refetchOnReconnect: true,
        staleTime: 30_000,
        // The client itself has already retried.
        retry: (failures, error) => failures < 1 && error instanceof ChorusError && error.retryable,
      },
    },
  });
}
