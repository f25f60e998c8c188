import type { MarkedToken, Token } from 'marked';
import { createContext, Fragment, lazy, type ReactNode, Suspense, use } from 'react';
import type { MathToken } from './math-extension.ts';

export function Inline({ tokens }: { tokens: Token[] }): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: tokens are identified by position
  return tokens.map((token, index) => <InlineToken key={index} token={token as MarkedToken | MathToken} />);
}

function InlineToken({ token }: { token: MarkedToken | MathToken }): ReactNode {
  switch (token.type) {
    case 'math':
      return <Formula token={token as MathToken} />;
    case 'strong':
      return (
        <strong>
          <Inline tokens={token.tokens} />
        </strong>
      );
    case 'em':
      return (
        <em>
          <Inline tokens={token.tokens} />
        </em>
      );
    case 'del':
      return (
        <del>
          <Inline tokens={token.tokens} />
        </del>
      );
    case 'codespan':
      return <code>{token.text}</code>;
    case 'br':
      return <br />;
    case 'link':
      return <Link href={token.href} title={token.title} label={<Inline tokens={token.tokens} />} />;
    case 'image':
      // Never loads an image that a model put into its text.
      return <Link href={token.href} title={token.title} label={token.text || token.href} />;
    case 'text':
      return 'tokens' in token && token.tokens ? <Inline tokens={token.tokens} /> : <PlainText text={token.text} />;
    case 'escape':
      // The closing delimiter of a formula may not have arrived yet.
      return /^\\[()[\]]$/.test(token.raw) ? token.raw : token.text;
    case 'html':
      return token.text;
    default:
      return token.raw;
  }
}

const MathFormula = lazy(() => import('./math.tsx'));

/** Shows the source until the renderer has loaded, or if the source is not valid. */
export function Formula({ token: { text, raw, isDisplay } }: { token: MathToken }) {
  const source = <code>{raw.trim()}</code>;
  return (
    <Suspense fallback={source}>
      <MathFormula tex={text} isDisplay={isDisplay} fallback={source} />
    </Suspense>
  );
}

function Link({ href, title, label }: { href: string; title?: string | null | undefined; label: ReactNode }) {
  const safe = safeHref(href);
  if (safe === null) return label;
  return (
    <a href={safe} title={title ?? undefined} target="_blank" rel="noopener noreferrer nofollow">
      {label}
    </a>
  );
}

/** Plain text in which `[1]` becomes a reference. */
function PlainText({ text }: { text: string }): ReactNode {
  const reference = use(ReferencesContext);
  if (reference === null || !text.includes('[')) return text;
  return text.split(/(\[\d{1,3}\])/g).map((part, index) => {
    const marker = /^\[(\d+)\]$/.exec(part)?.[1];
    // biome-ignore lint/suspicious/noArrayIndexKey: tokens are identified by position
    return <Fragment key={index}>{marker === undefined ? part : reference(Number(marker))}</Fragment>;
  });
}

/** Renders `[1]` as a reference to a source. Null if the text has no sources. */
export const ReferencesContext = createContext<((marker: number) => ReactNode) | null>(null);

const SCHEMES = new Set(['http:', 'https:', 'mailto:']);

function safeHref(href: string): string | null {
  try {
    return SCHEMES.has(new URL(href).protocol) ? href : null;
  } catch {
    return null; // relative links would open inside the console
  }
}
