import type { MarkedExtension, TokenizerAndRendererExtension, Tokens } from 'marked';

export interface MathToken extends Tokens.Generic {
  type: 'math';
  /** TeX. */
  text: string;
  isDisplay: boolean;
}

/** Bounds the search for a closing delimiter. */
const MAX_CHARS = 4000;

const BLOCK = new RegExp(
  String.raw`^ {0,3}(?:\$\$([^$]{1,${MAX_CHARS}}?)\$\$|\\\[([^]{1,${MAX_CHARS}}?)\\\])[ \t]*(?:\n+|$)`,
);
const INLINE_DISPLAY = new RegExp(String.raw`^(?:\$\$([^$]{1,${MAX_CHARS}}?)\$\$|\\\[([^]{1,${MAX_CHARS}}?)\\\])`);
/** A price such as `$5` is not a formula: allow no space inside the dollars, and no digit after them. */
const INLINE = new RegExp(
  String.raw`^(?:\$(?![\s$])((?:\\.|[^\\$\n]){1,${MAX_CHARS}}?)(?<!\s)\$(?!\d)|\\\(([^]{1,${MAX_CHARS}}?)\\\))`,
);

const blockMath: TokenizerAndRendererExtension = {
  name: 'math',
  level: 'block',
  start: (source) => /\n {0,3}(?:\$\$|\\\[)/.exec(source)?.index,
  tokenizer: (source) => mathToken(BLOCK.exec(source), true),
};

const inlineMath: TokenizerAndRendererExtension = {
  name: 'math',
  level: 'inline',
  start: (source) => /\$|\\[([]/.exec(source)?.index,
  tokenizer: (source) => mathToken(INLINE_DISPLAY.exec(source), true) ?? mathToken(INLINE.exec(source), false),
};

/** Recognizes TeX between `$…$`, `$$…$$`, `\(…\)`, and `\[…\]`. */
export const mathExtension: MarkedExtension = { extensions: [blockMath, inlineMath] };

function mathToken(match: RegExpExecArray | null, isDisplay: boolean): MathToken | undefined {
  const text = (match?.[1] ?? match?.[2] ?? '').trim();
  return match === null || text === '' ? undefined : { type: 'math', raw: match[0], text, isDisplay };
}
