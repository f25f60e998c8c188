import { Table } from '@mantine/core';
import { Marked, type MarkedToken, type Token, type Tokens } from 'marked';
import { createElement, lazy, memo, type ReactNode, Suspense, useMemo } from 'react';
import { t } from '../../i18n/i18n.ts';
import { Formula, Inline, ReferencesContext } from './inline-tokens.tsx';
import classes from './markdown.module.css';
import { type MathToken, mathExtension } from './math-extension.ts';

const marked = new Marked(mathExtension, { gfm: true, breaks: true });

interface MarkdownProps {
  text: string;
  /** Renders `[1]` as a reference to a source. Without it, markers stay plain text. */
  reference?: ((marker: number) => ReactNode) | undefined;
}

/**
 * Renders Markdown as React elements.
 *
 * HTML is shown as text, and only safe URLs become links. While a text grows, only its last block is rendered
 * again.
 */
export function Markdown({ text, reference }: MarkdownProps) {
  const blocks = useMemo(() => marked.lexer(text).filter(({ type }) => type !== 'space'), [text]);
  const levels = headingLevels(blocks);
  return (
    <ReferencesContext value={reference ?? null}>
      <div className={classes.markdown}>
        {blocks.map((token, index) => (
          // Blocks are only appended while a text grows.
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks are identified by position
          <Block key={index} token={token} level={levels[index]} />
        ))}
      </div>
    </ReferencesContext>
  );
}

const Block = memo(
  (props: BlockProps) => <BlockToken {...props} />,
  (before, after) =>
    before.token.raw === after.token.raw && before.token.type === after.token.type && before.level === after.level,
);

const CodeBlock = lazy(() => import('./code-block.tsx'));

interface BlockProps {
  token: Token;
  /** The level of a heading; undefined inside quotes and lists. */
  level?: number | undefined;
}

/** Returns the levels of headings, below the title of the page and without gaps. */
function headingLevels(blocks: readonly Token[]): (number | undefined)[] {
  let last = 1;
  return blocks.map((block) => {
    if (block.type !== 'heading') return undefined;
    last = Math.min(6, last + 1, (block as Tokens.Heading).depth + 1);
    return last;
  });
}

function BlockToken({ token, level }: BlockProps) {
  const known = token as MarkedToken | MathToken;
  switch (known.type) {
    case 'math':
      return (
        <div className={classes.formula}>
          <Formula token={known as MathToken} />
        </div>
      );
    case 'heading':
      return createElement(
        level === undefined ? 'p' : `h${level}`,
        { className: classes.heading, 'data-depth': known.depth },
        <Inline tokens={known.tokens} />,
      );
    case 'paragraph':
      return (
        <p>
          <Inline tokens={known.tokens} />
        </p>
      );
    case 'text':
      return known.tokens ? <Inline tokens={known.tokens} /> : known.text;
    case 'code':
      return (
        <Suspense
          fallback={
            // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
            <pre className={classes.plainCode} tabIndex={0}>
              {known.text}
            </pre>
          }
        >
          <CodeBlock code={known.text} language={known.lang} />
        </Suspense>
      );
    case 'blockquote':
      return (
        <blockquote dir="auto">
          <Blocks tokens={known.tokens} />
        </blockquote>
      );
    case 'list':
      return <List list={known} />;
    case 'table':
      return <DataTable table={known} />;
    case 'hr':
      return <hr />;
    case 'html':
      return <p>{known.text}</p>;
    default:
      return null; // blank lines and link definitions
  }
}

function Blocks({ tokens }: { tokens: Token[] }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: tokens are identified by position
  return tokens.map((token, index) => <BlockToken key={index} token={token} />);
}

function List({ list: { ordered, start, items } }: { list: Tokens.List }) {
  const children = items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: tokens are identified by position
    <li key={index} className={item.task ? classes.task : undefined}>
      {item.task && (
        <input type="checkbox" checked={item.checked === true} readOnly disabled aria-label={t('components.task')} />
      )}
      <Blocks tokens={item.tokens.filter(({ type }) => type !== 'checkbox')} />
    </li>
  ));
  return ordered ? (
    <ol dir="auto" start={start === '' ? undefined : start}>
      {children}
    </ol>
  ) : (
    <ul dir="auto">{children}</ul>
  );
}

function DataTable({ table: { header, rows } }: { table: Tokens.Table }) {
  return (
    <Table.ScrollContainer minWidth={0} className={classes.table}>
      <Table withTableBorder withColumnBorders dir="auto">
        <Table.Thead>
          <Table.Tr>
            {header.map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: tokens are identified by position
              <Table.Th key={index} ta={cell.align ?? undefined}>
                <Inline tokens={cell.tokens} />
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: tokens are identified by position
            <Table.Tr key={index}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: tokens are identified by position
                <Table.Td key={column} ta={cell.align ?? undefined}>
                  <Inline tokens={cell.tokens} />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
