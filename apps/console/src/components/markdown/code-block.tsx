import { ArrowDownTrayIcon, CheckIcon, ClipboardIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Button, CopyButton, Group, Tooltip } from '@mantine/core';
import { common, createLowlight } from 'lowlight';
import {
  type ComponentType,
  createElement,
  lazy,
  memo,
  type ReactNode,
  Suspense,
  type SVGProps,
  useMemo,
  useState,
} from 'react';
import { save } from '../../data/files.ts';
import { t } from '../../i18n/i18n.ts';
import { Dimmed } from '../text.tsx';
import classes from './code-block.module.css';
import { fileNameOf, previewOf } from './code-file.ts';

const CodePreview = lazy(() => import('./preview/code-preview.tsx'));

const lowlight = createLowlight(common);

/** Longer code is shown without highlighting, which would be slow. */
const MAX_HIGHLIGHTED_CHARS = 60_000;

interface CodeBlockProps {
  code: string;
  language: string | undefined;
}

function CodeBlock({ code, language }: CodeBlockProps) {
  const name = language?.trim().split(/\s/)[0]?.toLowerCase() ?? '';
  const preview = previewOf(name, code);
  // Diagrams are drawn at once; pages run only when the user asks for it.
  const [isPreview, setIsPreview] = useState(preview === 'mermaid');
  const highlighted = useMemo(() => {
    if (!lowlight.registered(name) || code.length > MAX_HIGHLIGHTED_CHARS) return code;
    return lowlight.highlight(name, code).children.map(toElement);
  }, [code, name]);
  const text = (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <pre className={classes.code} tabIndex={0}>
      <code>{highlighted}</code>
    </pre>
  );
  return (
    <figure className={classes.block} dir="ltr">
      <Group component="figcaption" gap={2} className={classes.head}>
        <Dimmed size="xs" flex={1}>
          {name || t('components.codeWithoutLanguage')}
        </Dimmed>
        {preview !== null && (
          <Button size="compact-xs" variant="subtle" color="gray" onClick={() => setIsPreview(!isPreview)}>
            {isPreview ? t('components.showCode') : t('components.preview')}
          </Button>
        )}
        <HeadButton
          label={t('components.downloadCode')}
          icon={ArrowDownTrayIcon}
          onClick={() => save(new Blob([code], { type: 'text/plain' }), fileNameOf(name))}
        />
        <CopyButton value={code}>
          {({ copied, copy }) => (
            <HeadButton
              label={copied ? t('common.copied') : t('components.copyCode')}
              icon={copied ? CheckIcon : ClipboardIcon}
              onClick={copy}
            />
          )}
        </CopyButton>
      </Group>
      {isPreview && preview !== null ? (
        <Suspense fallback={text}>
          <CodePreview kind={preview} code={code}>
            {text}
          </CodePreview>
        </Suspense>
      ) : (
        text
      )}
    </figure>
  );
}

interface HeadButtonProps {
  label: string;
  icon: ComponentType<SVGProps<SVGSVGElement>>;
  onClick: () => void;
}

function HeadButton({ label, icon: Icon, onClick }: HeadButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon size="sm" variant="subtle" color="gray" onClick={onClick} aria-label={label}>
        <Icon />
      </ActionIcon>
    </Tooltip>
  );
}

type Node = ReturnType<typeof lowlight.highlight>['children'][number];

function toElement(node: Node, index: number): ReactNode {
  if (node.type === 'text') return node.value;
  if (node.type !== 'element') return null;
  const { className } = node.properties;
  const names = Array.isArray(className) ? className.join(' ') : undefined;
  return createElement(
    'span',
    { key: index, className: names },
    node.children.map((child, at) => toElement(child as Node, at)),
  );
}

export default memo(CodeBlock);
