import { ChorusError } from '@chorus/client';
import { QueryClient } from '@tanstack/react-query';

/** Everything that was read from the server. The feed of the scope says what has changed, so nothing is asked for again by the clock. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        // The client has tried again already what a further try can help.
        retry: (failures, error) => failures < 1 && error instanceof ChorusError && error.retryable,
      },
    },
  });
}
