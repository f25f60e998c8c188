import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import classes from './virtual-list.module.css';

interface VirtualListProps<T> {
  label: string;
  items: readonly T[];
  /** Must be a stable function: a new one makes every row be measured again. */
  getKey: (item: T) => string;
  /** Row height in pixels until the row is measured. */
  estimatedHeight: number;
  /**
   * Renders a row. During fast scrolling, expensive content can be left out. A new function renders all rows again.
   */
  children: (item: T, index: number, isScrollingFast: boolean) => ReactNode;
  hasMore?: boolean | undefined;
  onLoadMore?: (() => void) | undefined;
  className?: string | undefined;
  /** Lets keyboards scroll a list whose rows do not take the focus. */
  isFocusable?: boolean | undefined;
}

/** How far before the end the next page is loaded, so that fast scrolling does not stop there. */
const PREFETCH_PX = 4_000;

/** A list that renders only its visible rows and fills the height of its container. */
export function VirtualList<T>(props: VirtualListProps<T>) {
  const {
    label,
    items,
    getKey,
    estimatedHeight,
    children,
    hasMore = false,
    onLoadMore,
    className,
    isFocusable,
  } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const isFlung = useFastScroll(scroller);
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => estimatedHeight,
    getItemKey: useCallback((index: number) => getKey(items[index] as T), [items, getKey]),
    overscan: 6,
  });
  const rows = virtualizer.getVirtualItems();
  const last = rows.at(-1)?.index ?? -1;
  const ahead = PREFETCH_PX / estimatedHeight;
  useEffect(() => {
    if (hasMore && last >= items.length - ahead) onLoadMore?.();
  }, [hasMore, last, items.length, ahead, onLoadMore]);

  return (
    <div ref={scroller} className={`${classes.scroller} ${className ?? ''}`} tabIndex={isFocusable ? 0 : undefined}>
      <ul aria-label={label} className={classes.rows} style={{ height: virtualizer.getTotalSize() }}>
        {rows.map(({ key, index, start }) => (
          <Row
            key={key}
            index={index}
            start={start}
            setSize={hasMore ? -1 : items.length}
            measure={virtualizer.measureElement}
            item={items[index] as T}
            isFlung={isFlung}
            render={children}
          />
        ))}
      </ul>
    </div>
  );
}

interface RowProps<T> {
  index: number;
  start: number;
  setSize: number;
  measure: (element: HTMLElement | null) => void;
  item: T;
  isFlung: boolean;
  render: VirtualListProps<T>['children'];
}

/** Scrolling renders the list with every frame, but only its new rows. */
const Row = memo(({ index, start, setSize, measure, item, isFlung, render }: RowProps<unknown>) => (
  <li
    ref={measure}
    data-index={index}
    className={classes.row}
    style={{ transform: `translateY(${start}px)` }}
    aria-setsize={setSize}
    aria-posinset={index + 1}
  >
    {render(item, index, isFlung)}
  </li>
)) as <T>(props: RowProps<T>) => ReactNode;

/** Above this speed, images pass too fast to be recognized. */
const FAST_PX_PER_S = 2_000;
/** Scrolling counts as fast until it has been slower for this long. */
const SETTLE_MS = 120;

function useFastScroll(scroller: RefObject<HTMLElement | null>): boolean {
  const [isFlung, setIsScrollingFast] = useState(false);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    let before = { top: element.scrollTop, at: performance.now() };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onScroll = () => {
      const now = { top: element.scrollTop, at: performance.now() };
      const speed = (Math.abs(now.top - before.top) / Math.max(1, now.at - before.at)) * 1_000;
      before = now;
      if (speed < FAST_PX_PER_S) return;
      setIsScrollingFast(true);
      clearTimeout(timer);
      timer = setTimeout(() => setIsScrollingFast(false), SETTLE_MS);
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      element.removeEventListener('scroll', onScroll);
      clearTimeout(timer);
    };
  }, [scroller]);
  return isFlung;
}
