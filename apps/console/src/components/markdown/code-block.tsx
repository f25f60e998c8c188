import { CheckIcon, ClipboardIcon } from '@heroicons/react/24/outline';
import { ActionIcon, CopyButton, Group, Tooltip } from '@mantine/core';
import { common, createLowlight } from 'lowlight';
import { createElement, memo, type ReactNode, useMemo } from 'react';
import { Dimmed } from '../text.tsx';
import classes from './code-block.module.css';

const lowlight = createLowlight(common);

/** Longer code is shown without highlighting, which would be slow. */
const MAX_HIGHLIGHTED_CHARS = 60_000;

interface CodeBlockProps {
  code: string;
  language: string | undefined;
}

function CodeBlock({ code, language }: CodeBlockProps) {
  const name = language?.trim().split(/\s/)[0]?.toLowerCase() ?? '';
  const highlighted = useMemo(() => {
    if (!lowlight.registered(name) || code.length > MAX_HIGHLIGHTED_CHARS) return code;
    return lowlight.highlight(name, code).children.map(toElement);
  }, [code, name]);
  return (
    <figure className={classes.block}>
      <Group component="figcaption" justify="space-between" className={classes.head}>
        <Dimmed size="xs">{name || 'text'}</Dimmed>
        <CopyButton value={code}>
          {({ copied, copy }) => (
            <Tooltip label={copied ? 'Copied' : 'Copy'}>
              <ActionIcon
                size="sm"
                variant="subtle"
                color="gray"
                onClick={copy}
                aria-label={copied ? 'Copied' : 'Copy code'}
              >
                {copied ? <CheckIcon /> : <ClipboardIcon />}
              </ActionIcon>
            </Tooltip>
          )}
        </CopyButton>
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <pre className={classes.code} tabIndex={0}>
        <code>{highlighted}</code>
      </pre>
    </figure>
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
