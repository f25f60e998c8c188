import { useElementSize } from '@mantine/hooks';
import { type ReactNode, useCallback, useMemo } from 'react';
import { VirtualList } from './virtual-list.tsx';

interface VirtualGridProps<T> {
  label: string;
  items: readonly T[];
  getKey: (item: T) => string;
  /** In pixels; the width is a minimum. */
  cell: { width: number; height: number };
  children: (item: T, isFlung: boolean) => ReactNode;
  hasMore: boolean;
  onLoadMore: () => void;
}

const GAP = 10;

export function VirtualGrid<T>({ label, items, getKey, cell, children, hasMore, onLoadMore }: VirtualGridProps<T>) {
  const { ref, width } = useElementSize();
  const columns = Math.max(1, Math.floor((width + GAP) / (cell.width + GAP)));
  const rows = useMemo(() => {
    const count = Math.ceil(items.length / columns);
    return Array.from({ length: count }, (_, row) => items.slice(row * columns, (row + 1) * columns));
  }, [items, columns]);
  const getRowKey = useCallback((row: readonly T[]) => getKey(row[0] as T), [getKey]);
  return (
    <div ref={ref} style={{ height: '100%' }}>
      {width > 0 && (
        <VirtualList
          label={label}
          items={rows}
          getKey={getRowKey}
          estimatedHeight={cell.height + GAP}
          hasMore={hasMore}
          onLoadMore={onLoadMore}
        >
          {(row, _, isFlung) => (
            <div
              style={{
                display: 'grid',
                gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
                gap: GAP,
                height: cell.height,
                marginBottom: GAP,
              }}
            >
              {row.map((item) => children(item, isFlung))}
            </div>
          )}
        </VirtualList>
      )}
    </div>
  );
}
