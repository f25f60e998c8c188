import { useCallback, useEffect, useRef, useState } from 'react';

/** So near to the end, in pixels, still counts as there. */
const NEAR = 48;

/** Keeps the end of what grows in sight, unless one has scrolled away from it. */
export function useStickToEnd() {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const sticks = useRef(true);
  const [isAtEnd, setIsAtEnd] = useState(true);

  useEffect(() => {
    const view = scroller.current;
    const inside = content.current;
    if (view === null || inside === null) return;
    const toEnd = () => {
      view.scrollTop = view.scrollHeight;
    };
    let top = 0;
    const onScroll = () => {
      const isNear = view.scrollHeight - view.scrollTop - view.clientHeight < NEAR;
      // What grows at the end moves it away; who scrolls away from it goes upwards.
      if (isNear || view.scrollTop < top) sticks.current = isNear;
      top = view.scrollTop;
      setIsAtEnd(isNear);
    };
    const growth = new ResizeObserver(() => {
      if (sticks.current) toEnd();
    });
    view.addEventListener('scroll', onScroll, { passive: true });
    growth.observe(inside);
    growth.observe(view);
    toEnd();
    return () => {
      view.removeEventListener('scroll', onScroll);
      growth.disconnect();
    };
  }, []);

  const toEnd = useCallback(() => {
    sticks.current = true;
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight, behavior: 'smooth' });
  }, []);
  return { scroller, content, isAtEnd, toEnd };
}
