import type { Citation } from '@chorus/client';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { SourceDrawer, titleOf } from './source-drawer.tsx';
import classes from './sources.module.css';

interface Sources {
  /** Draws a reference in the text. */
  reference: (marker: number) => ReactNode;
  /** All that is referred to, below the text, and the place where a source opens. */
  list: ReactNode;
}

/** The sources of a text: each `[1]` in it opens where that stands. */
export function useSources(citations: readonly Citation[]): Sources {
  const [opened, setOpened] = useState<Citation | null>(null);
  // Citations come one by one while a text is written, and lose their title when the document is deleted.
  const markers = citations.map(({ marker, title }) => `${marker} ${title}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const byMarker = useMemo(() => new Map(citations.map((citation) => [citation.marker, citation])), [markers]);
  const reference = useCallback(
    (marker: number) => {
      const citation = byMarker.get(marker);
      if (citation === undefined) return `[${marker}]`;
      return (
        <button
          type="button"
          className={classes.reference}
          onClick={() => setOpened(citation)}
          aria-label={`Source ${marker}: ${titleOf(citation)}`}
        >
          {marker}
        </button>
      );
    },
    [byMarker],
  );
  if (byMarker.size === 0) return { reference, list: null };
  const list = (
    <>
      <ul className={classes.list} aria-label="Sources">
        {[...byMarker.values()].map((citation) => (
          <li key={citation.marker}>
            <button type="button" className={classes.source} onClick={() => setOpened(citation)}>
              <span className={classes.number}>{citation.marker}</span>
              <span className={classes.title}>{titleOf(citation)}</span>
              {citation.page !== null && <span className={classes.page}>p. {citation.page}</span>}
            </button>
          </li>
        ))}
      </ul>
      <SourceDrawer citation={opened} onClose={() => setOpened(null)} />
    </>
  );
  return { reference, list };
}
