import { lexer, type Token } from 'marked';
import { memo, type ReactNode, useMemo } from 'react';
import { BlockToken } from './block-token.tsx';
import classes from './markdown.module.css';
import { ReferencesContext } from './references.ts';

interface MarkdownProps {
  text: string;
  /** Draws `[1]` in the text as a reference to a source; without it, it is text like any other. */
  reference?: ((marker: number) => ReactNode) | undefined;
}

/**
 * Markdown as elements of the page. HTML in it is shown as the text that it is, and only addresses that can't run anything become links. Of a text that
 * grows only its last block is drawn anew.
 */
export function Markdown({ text, reference }: MarkdownProps) {
  const blocks = useMemo(() => lexer(text, { gfm: true, breaks: true }).filter(({ type }) => type !== 'space'), [text]);
  return (
    <ReferencesContext value={reference ?? null}>
      <div className={classes.markdown}>
        {blocks.map((token, index) => (
          // Blocks are only ever added behind the others while a text grows.
          // biome-ignore lint/suspicious/noArrayIndexKey: their place is what tells them apart
          <Block key={index} token={token} />
        ))}
      </div>
    </ReferencesContext>
  );
}

const Block = memo(
  ({ token }: { token: Token }) => <BlockToken token={token} />,
  (before, after) => before.token.raw === after.token.raw && before.token.type === after.token.type,
);
