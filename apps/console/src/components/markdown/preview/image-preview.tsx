import { useEffect, useState } from 'react';
import { t } from '../../../i18n/i18n.ts';
import { Dimmed } from '../../text.tsx';
import classes from './preview.module.css';

interface ImagePreviewProps {
  svg: string;
  label: string;
}

/** Shows SVG as an image: nothing in an image runs, loads anything, or can be clicked. */
export function ImagePreview({ svg, label }: ImagePreviewProps) {
  const [url, setUrl] = useState<string | null>(null);
  const [isBroken, setIsBroken] = useState(false);
  useEffect(() => {
    const created = URL.createObjectURL(new Blob([withNamespace(svg)], { type: 'image/svg+xml' }));
    setUrl(created);
    setIsBroken(false);
    return () => URL.revokeObjectURL(created);
  }, [svg]);
  if (isBroken) return <Dimmed className={classes.note}>{t('components.imageBroken')}</Dimmed>;
  if (url === null) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <div className={classes.image} tabIndex={0}>
      <img src={url} alt={label} {...sizeOf(svg)} onError={() => setIsBroken(true)} />
    </div>
  );
}

/** Images need the namespace; pages do not. */
const withNamespace = (svg: string) =>
  /<svg[^>]*\sxmlns=/.test(svg) ? svg : svg.replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"');

/** Returns the size from the view box, for images without their own size. */
function sizeOf(svg: string): { width?: number; height?: number } {
  const [, width, height] = /viewBox="[-\d.]+[\s,]+[-\d.]+[\s,]+([\d.]+)[\s,]+([\d.]+)"/.exec(svg) ?? [];
  const isSized = /<svg[^>]*\swidth="[\d.]+(?:px)?"/.test(svg);
  if (isSized || width === undefined || height === undefined) return {};
  return { width: Math.ceil(Number(width)), height: Math.ceil(Number(height)) };
}
