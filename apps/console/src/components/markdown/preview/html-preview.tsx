import { useEffect, useRef } from 'react';
import { t } from '../../../i18n/i18n.ts';
import classes from './preview.module.css';
import { fillSandbox } from './sandbox.ts';

/** Runs HTML in a sandbox. */
export function HtmlPreview({ html }: { html: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => (frame.current === null ? undefined : fillSandbox(frame.current, html)), [html]);
  return <iframe ref={frame} title={t('components.preview')} className={classes.frame} />;
}
