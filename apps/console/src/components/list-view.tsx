import type { ReactNode } from 'react';
import type { CursorList } from '../data/use-cursor-list.ts';
import { Loading } from './loading.tsx';
import { Problem } from './problem.tsx';
import { VirtualList } from './virtual-list.tsx';

interface ListViewProps<T> {
  label: string;
  list: CursorList<T>;
  estimatedHeight: number;
  /** In place of an empty list. */
  empty: ReactNode;
  children: (item: T) => ReactNode;
  className?: string;
}

const idOf = ({ id }: { id: string }) => id;

/** A list from the server, however long: while it comes, when it is empty, when it can't be read, and as it is. */
export function ListView<T extends { id: string }>({ label, list, empty, ...rest }: ListViewProps<T>) {
  if (list.isPending) return <Loading />;
  if (list.error) return <Problem error={list.error} onRetry={list.refresh} />;
  if (list.items.length === 0) return empty;
  return (
    <VirtualList
      label={label}
      items={list.items}
      keyOf={idOf}
      hasMore={list.hasMore}
      onMore={list.loadMore}
      {...rest}
    />
  );
}
