import { Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type { Caption } from './captions.ts';
import classes from './voice-page.module.css';

/** What both sides say, to be read while it is heard. */
export function CaptionList({ captions }: { captions: readonly Caption[] }) {
  const list = useRef<HTMLOListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: every change may have made it longer
  useEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [captions]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <ol ref={list} className={classes.captions} aria-label="Captions" tabIndex={0}>
      {captions.map(({ id, role, text, isDone, isCutOff }) => (
        <li key={id} className={classes.caption} data-role={role}>
          <Text size="xs" c="dimmed">
            {role === 'user' ? 'You' : 'Chorus'}
          </Text>
          {text === '' ? '…' : text}
          {isCutOff && (
            <Text span size="xs" c="dimmed">
              {' '}
              (interrupted)
            </Text>
          )}
          {!isDone && role === 'assistant' && ' ▍'}
        </li>
      ))}
    </ol>
  );
}
