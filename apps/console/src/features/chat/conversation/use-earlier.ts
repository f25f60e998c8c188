import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

interface Earlier {
  /** What scrolls, and what in it has a message in each of its children. */
  scroller: RefObject<HTMLElement | null>;
  content: RefObject<HTMLElement | null>;
  /** Of the first message that is drawn. */
  firstId: string | undefined;
  hasEarlier: boolean;
  onEarlier: () => void;
}

/** So far before the first message, in pixels, what was said before it is asked for. */
const AHEAD_PX = 2_000;

const KEEPS_PLACE = CSS.supports('overflow-anchor', 'auto');

/**
 * Asks for what was said earlier as one scrolls towards it, and keeps what is seen where it is when that comes in before it.
 *
 * @returns a ref for what stands before the first message
 */
export function useEarlier({ scroller, content, firstId, hasEarlier, onEarlier }: Earlier) {
  const marker = useRef<HTMLDivElement>(null);
  // Looked at anew for each first message: what came may not have filled the room.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (!hasEarlier || marker.current === null) return;
    const look = ([entry]: IntersectionObserverEntry[]) => entry?.isIntersecting && onEarlier();
    const observer = new IntersectionObserver(look, { root: scroller.current, rootMargin: `${AHEAD_PX}px 0px 0px` });
    observer.observe(marker.current);
    return () => observer.disconnect();
  }, [scroller, firstId, hasEarlier, onEarlier]);

  const before = useRef<Element | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another first message is what changes the places of all
  useLayoutEffect(() => {
    const [view, first] = [scroller.current, content.current?.firstElementChild ?? null];
    const known = before.current;
    before.current = first;
    if (view === null || first === null || !known?.isConnected || known === first) return;
    // Browsers do this, but at the very top none.
    if (KEEPS_PLACE && view.scrollTop > 0) return;
    view.scrollTop += known.getBoundingClientRect().top - first.getBoundingClientRect().top;
  }, [scroller, content, firstId]);
  return marker;
}
