import { Table } from '@mantine/core';
import type { MarkedToken, Token, Tokens } from 'marked';
import { createElement, lazy, Suspense } from 'react';
import { Inline } from './inline-tokens.tsx';
import classes from './markdown.module.css';

const CodeBlock = lazy(() => import('./code-block.tsx'));

/** One block: a paragraph, a list, a table, code. */
export function BlockToken({ token }: { token: Token }) {
  const known = token as MarkedToken;
  switch (known.type) {
    case 'heading':
      // A page has headings of its own above those of a text.
      return createElement(`h${Math.min(6, known.depth + 2)}`, null, <Inline tokens={known.tokens} />);
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
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
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
      return null; // blanks, and definitions of links
  }
}

function Blocks({ tokens }: { tokens: Token[] }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: their place is what tells them apart
  return tokens.map((token, index) => <BlockToken key={index} token={token} />);
}

function List({ list: { ordered, start, items } }: { list: Tokens.List }) {
  const children = items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: their place is what tells them apart
    <li key={index} className={item.task ? classes.task : undefined}>
      {item.task && <input type="checkbox" checked={item.checked === true} readOnly disabled aria-label="Task" />}
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
              // biome-ignore lint/suspicious/noArrayIndexKey: their place is what tells them apart
              <Table.Th key={index} ta={cell.align ?? undefined}>
                <Inline tokens={cell.tokens} />
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: their place is what tells them apart
            <Table.Tr key={index}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: their place is what tells them apart
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
