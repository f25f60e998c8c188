import { Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type { Talk } from './talk.ts';
import classes from './voice-page.module.css';

/** How loud both sides are, drawn for each picture of the screen without React. */
export function Levels({ talk }: { talk: Talk }) {
  const mine = useRef<HTMLSpanElement>(null);
  const theirs = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    let frame = 0;
    const draw = () => {
      mine.current?.style.setProperty('--level', String(talk.levels.mine));
      theirs.current?.style.setProperty('--level', String(talk.levels.theirs));
      frame = requestAnimationFrame(draw);
    };
    draw();
    return () => cancelAnimationFrame(frame);
  }, [talk]);
  return (
    <div className={classes.meters} aria-hidden>
      <Text size="xs" c="dimmed">
        You
      </Text>
      <div className={classes.meter}>
        <span ref={mine} />
      </div>
      <Text size="xs" c="dimmed">
        Chorus
      </Text>
      <div className={classes.meter}>
        <span ref={theirs} />
      </div>
    </div>
  );
}
