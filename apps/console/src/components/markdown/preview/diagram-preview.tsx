import { useComputedColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { t } from '../../../i18n/i18n.ts';
import { Dimmed } from '../../text.tsx';
import { ImagePreview } from './image-preview.tsx';
import { renderMermaid } from './mermaid-renderer.ts';
import classes from './preview.module.css';

/** Waits for code that is still being written. */
const PAUSE_MS = 500;

/** Shows a Mermaid diagram. Until it is drawn, or if it has a mistake, its code is shown. */
export function DiagramPreview({ code, children }: { code: string; children: ReactNode }) {
  const theme = useComputedColorScheme() === 'dark' ? 'dark' : 'default';
  const [written] = useDebouncedValue(code, PAUSE_MS);
  const { data: svg, error } = useQuery({
    queryKey: ['mermaid', theme, written],
    queryFn: () => renderMermaid(written, theme),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (svg !== undefined && written === code) return <ImagePreview svg={svg} label={t('components.diagram')} />;
  return (
    <>
      {error !== null && written === code && (
        <Dimmed size="xs" className={classes.note}>
          {t('components.diagramBroken', { message: error.message })}
        </Dimmed>
      )}
      {children}
    </>
  );
}
