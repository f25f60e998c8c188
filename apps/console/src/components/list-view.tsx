import type { ReactNode } from 'react';
import type { CursorList } from '../data/use-cursor-list.ts';
import { ErrorState, Loading } from './placeholders.tsx';
import { VirtualList } from './virtual-list.tsx';

interface ListViewProps<T> {
  label: string;
  list: CursorList<T>;
  estimatedHeight: number;
  empty: ReactNode;
  children: (item: T, index: number) => ReactNode;
  className?: string;
  isFocusable?: boolean;
}

const idOf = ({ id }: { id: string }) => id;

export function ListView<T extends { id: string }>({ label, list, empty, ...rest }: ListViewProps<T>) {
  if (list.isPending) return <Loading />;
  if (list.error) return <ErrorState error={list.error} onRetry={list.refresh} />;
  if (list.items.length === 0) return empty;
  return (
    <VirtualList
      label={label}
      items={list.items}
      getKey={idOf}
      hasMore={list.hasMore}
      onLoadMore={list.loadMore}
      {...rest}
    />
  );
}
