import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useCallback, useEffect, useRef } from 'react';
import { useFling } from './use-fling.ts';
import classes from './virtual-list.module.css';

interface VirtualListProps<T> {
  /** What it is a list of, for those who hear it. */
  label: string;
  items: readonly T[];
  /** The same function from drawing to drawing: with another one all rows are measured anew. */
  keyOf: (item: T) => string;
  /** Of one row, in pixels, until it is measured. */
  estimatedHeight: number;
  /** Draws a row; of a list that is flung, what costs much to fetch or draw may be left out. */
  children: (item: T, index: number, isFlung: boolean) => ReactNode;
  hasMore?: boolean | undefined;
  onMore?: (() => void) | undefined;
  className?: string | undefined;
}

/** So far before the end, in pixels, what comes behind it is asked for: whoever flings a list should not have to wait at its end. */
const AHEAD_PX = 4_000;

/** A list of any length, of which only what can be seen is drawn. It fills the height of its place. */
export function VirtualList<T>(props: VirtualListProps<T>) {
  const { label, items, keyOf, estimatedHeight, children, hasMore = false, onMore, className } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const isFlung = useFling(scroller);
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => estimatedHeight,
    getItemKey: useCallback((index: number) => keyOf(items[index] as T), [items, keyOf]),
    overscan: 6,
  });
  const rows = virtualizer.getVirtualItems();
  const last = rows.at(-1)?.index ?? -1;
  const ahead = AHEAD_PX / estimatedHeight;
  useEffect(() => {
    if (hasMore && last >= items.length - ahead) onMore?.();
  }, [hasMore, last, items.length, ahead, onMore]);

  return (
    <div ref={scroller} className={`${classes.scroller} ${className ?? ''}`}>
      <ul aria-label={label} className={classes.rows} style={{ height: virtualizer.getTotalSize() }}>
        {rows.map(({ key, index, start }) => (
          <li
            key={key}
            ref={virtualizer.measureElement}
            data-index={index}
            className={classes.row}
            style={{ transform: `translateY(${start}px)` }}
            aria-setsize={hasMore ? -1 : items.length}
            aria-posinset={index + 1}
          >
            {children(items[index] as T, index, isFlung)}
          </li>
        ))}
      </ul>
    </div>
  );
}
