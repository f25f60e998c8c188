import { type RefObject, useEffect, useState } from 'react';

/** Faster than this, in pixels a second, nobody can tell one picture from the next. */
const FLUNG_PX_PER_S = 2_000;
/** A scroll that has slowed down for so long is over. */
const SLOW_FOR_MS = 120;

/** Whether somebody flings what scrolls here: what comes and goes within a few frames need not be fetched and drawn. */
export function useFling(scroller: RefObject<HTMLElement | null>): boolean {
  const [isFlung, setIsFlung] = useState(false);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    let before = { top: element.scrollTop, at: performance.now() };
    let over: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      const now = { top: element.scrollTop, at: performance.now() };
      const speed = (Math.abs(now.top - before.top) / Math.max(1, now.at - before.at)) * 1_000;
      before = now;
      if (speed < FLUNG_PX_PER_S) return;
      setIsFlung(true);
      clearTimeout(over);
      over = setTimeout(() => setIsFlung(false), SLOW_FOR_MS);
    };
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      element.removeEventListener('scroll', look);
      clearTimeout(over);
    };
  }, [scroller]);
  return isFlung;
}
