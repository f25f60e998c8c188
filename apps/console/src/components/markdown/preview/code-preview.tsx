import type { ReactNode } from 'react';
import { t } from '../../../i18n/i18n.ts';
import type { PreviewKind } from '../code-file.ts';
import { DiagramPreview } from './diagram-preview.tsx';
import { HtmlPreview } from './html-preview.tsx';
import { ImagePreview } from './image-preview.tsx';

interface CodePreviewProps {
  kind: PreviewKind;
  code: string;
  /** The code as text. */
  children: ReactNode;
}

/** Renders the preview of code. Loaded with the first preview. */
export default function CodePreview({ kind, code, children }: CodePreviewProps) {
  if (kind === 'mermaid') return <DiagramPreview code={code}>{children}</DiagramPreview>;
  return kind === 'svg' ? <ImagePreview svg={code} label={t('components.image')} /> : <HtmlPreview html={code} />;
}
