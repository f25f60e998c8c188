import { useElementSize } from '@mantine/hooks';
import { type ReactNode, useCallback, useMemo } from 'react';
import { VirtualList } from './virtual-list.tsx';

interface VirtualGridProps<T> {
  label: string;
  items: readonly T[];
  keyOf: (item: T) => string;
  /** Of one cell, in pixels: the least width, and the height. */
  cell: { width: number; height: number };
  children: (item: T, isFlung: boolean) => ReactNode;
  hasMore: boolean;
  onMore: () => void;
}

const GAP = 10;

/** Cells in as many columns as have room, of which only the rows that can be seen are drawn. */
export function VirtualGrid<T>({ label, items, keyOf, cell, children, hasMore, onMore }: VirtualGridProps<T>) {
  const { ref, width } = useElementSize();
  const columns = Math.max(1, Math.floor((width + GAP) / (cell.width + GAP)));
  const rows = useMemo(() => {
    const count = Math.ceil(items.length / columns);
    return Array.from({ length: count }, (_, row) => items.slice(row * columns, (row + 1) * columns));
  }, [items, columns]);
  const keyOfRow = useCallback((row: readonly T[]) => keyOf(row[0] as T), [keyOf]);
  return (
    <div ref={ref} style={{ height: '100%' }}>
      {width > 0 && (
        <VirtualList
          label={label}
          items={rows}
          keyOf={keyOfRow}
          estimatedHeight={cell.height + GAP}
          hasMore={hasMore}
          onMore={onMore}
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
