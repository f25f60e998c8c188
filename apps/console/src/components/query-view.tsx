import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Loading } from './loading.tsx';
import { Problem } from './problem.tsx';

interface QueryViewProps<T> {
  query: UseQueryResult<T>;
  children: (data: T) => ReactNode;
}

/** What was read: while it comes, when it can't be read, and as it is. */
export function QueryView<T>({ query: { data, error, refetch }, children }: QueryViewProps<T>) {
  if (data !== undefined) return children(data);
  return error ? <Problem error={error} onRetry={refetch} /> : <Loading />;
}
