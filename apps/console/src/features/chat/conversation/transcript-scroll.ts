import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** Within this distance the view still counts as being at the end. */
const END_TOLERANCE_PX = 48;

/** Keeps the end of a growing list in view, unless the user has scrolled up. */
export function useStickToEnd() {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isPinned = useRef(true);
  const [isAtEnd, setIsAtEnd] = useState(true);

  useEffect(() => {
    const view = scroller.current;
    const list = content.current;
    if (view === null || list === null) return;
    const toEnd = () => {
      view.scrollTop = view.scrollHeight;
    };
    let top = 0;
    const onScroll = () => {
      const isNear = view.scrollHeight - view.scrollTop - view.clientHeight < END_TOLERANCE_PX;
      // Growing content moves the end away without scrolling; only the user scrolls up.
      if (isNear || view.scrollTop < top) isPinned.current = isNear;
      top = view.scrollTop;
      setIsAtEnd(isNear);
    };
    const growth = new ResizeObserver(() => {
      if (isPinned.current) toEnd();
    });
    view.addEventListener('scroll', onScroll, { passive: true });
    growth.observe(list);
    growth.observe(view);
    toEnd();
    return () => {
      view.removeEventListener('scroll', onScroll);
      growth.disconnect();
    };
  }, []);

  const toEnd = useCallback(() => {
    isPinned.current = true;
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight, behavior: 'smooth' });
  }, []);
  return { scroller, content, isAtEnd, toEnd };
}

interface Earlier {
  /** The scrolling element, and the element inside it with one child per message. */
  scroller: RefObject<HTMLElement | null>;
  content: RefObject<HTMLElement | null>;
  firstId: string | undefined;
  hasEarlier: boolean;
  onEarlier: () => void;
}

/** How far before the first message the earlier ones are loaded. */
const PREFETCH_PX = 2_000;

const HAS_SCROLL_ANCHORING = CSS.supports('overflow-anchor', 'auto');

/**
 * Loads earlier messages on scrolling up, and keeps the visible ones in place.
 *
 * @returns a ref for the element before the first message
 */
export function useLoadEarlier({ scroller, content, firstId, hasEarlier, onEarlier }: Earlier) {
  const marker = useRef<HTMLDivElement>(null);
  // Observes again for each first message, because the last page may not have filled the view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (!hasEarlier || marker.current === null) return;
    const look = ([entry]: IntersectionObserverEntry[]) => entry?.isIntersecting && onEarlier();
    const observer = new IntersectionObserver(look, { root: scroller.current, rootMargin: `${PREFETCH_PX}px 0px 0px` });
    observer.observe(marker.current);
    return () => observer.disconnect();
  }, [scroller, firstId, hasEarlier, onEarlier]);

  const before = useRef<Element | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new first message moves all others
  useLayoutEffect(() => {
    const [view, first] = [scroller.current, content.current?.firstElementChild ?? null];
    const known = before.current;
    before.current = first;
    if (view === null || first === null || !known?.isConnected || known === first) return;
    // Scroll anchoring does this, except at the very top.
    if (HAS_SCROLL_ANCHORING && view.scrollTop > 0) return;
    view.scrollTop += known.getBoundingClientRect().top - first.getBoundingClientRect().top;
  }, [scroller, content, firstId]);
  return marker;
}
