import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Marked, type Tokens } from 'marked';

/** Part of a page below one heading, for the search. */
export interface Section {
  url: string;
  page: string;
  heading: string;
  text: string;
}

export interface Page {
  /** Path below `/docs`; empty for the first page. */
  path: string;
  title: string;
  html: string;
  headings: { id: string; text: string }[];
  sections: Section[];
}

/** Links of the sidebar under a common heading. */
export interface Group {
  title: string;
  links: { path: string; title: string }[];
}

export interface Site {
  pages: ReadonlyMap<string, Page>;
  groups: Group[];
}

const FOLDER = fileURLToPath(new URL('../../../../../docs', import.meta.url));

/**
 * Renders all Markdown files of the folder `docs`.
 * @param base path under which a proxy serves the API, without a trailing slash
 */
export function loadSite(base: string): Site {
  const files = globSync('**/*.md', { cwd: FOLDER }).map((file) => file.replaceAll('\\', '/'));
  const known = new Set(files);
  const pages = files.map((file) => renderPage(file, readFileSync(join(FOLDER, file), 'utf8'), known, base));
  return {
    pages: new Map(pages.map((page) => [page.path, page])),
    groups: readGroups(readFileSync(join(FOLDER, 'README.md'), 'utf8')),
  };
}

export const pathOf = (file: string): string => file.replace(/(^|\/)README\.md$|\.md$/, '');

function urlOf(base: string, path: string): string {
  return path === '' ? `${base}/docs` : `${base}/docs/${path}`;
}

function renderPage(file: string, text: string, known: ReadonlySet<string>, base: string): Page {
  const path = pathOf(file);
  const url = urlOf(base, path);
  const headings: Page['headings'] = [];
  const sections: Section[] = [];
  let title = path;
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text: heading }) {
        const id = slugOf(heading);
        if (depth === 2) headings.push({ id, text: plain(heading) });
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const content = this.parser.parseInline(tokens);
        const target = resolveLink(href, file, known, base);
        return target === null ? content : `<a href="${escapeHtml(target)}">${content}</a>`;
      },
      table(token) {
        return `<div class="table" tabindex="0">${renderTable(token, (cell) => this.parser.parseInline(cell.tokens))}</div>\n`;
      },
      html: ({ text: raw }) => escapeHtml(raw),
    },
  });
  const tokens = marked.lexer(text);
  for (const token of tokens) {
    if (token.type === 'heading') {
      const { depth, text: heading } = token as Tokens.Heading;
      if (depth === 1) title = plain(heading);
      const anchor = depth === 1 ? '' : `#${slugOf(heading)}`;
      sections.push({ url: url + anchor, page: title, heading: depth === 1 ? '' : plain(heading), text: '' });
    } else if (token.type !== 'space') {
      const section = sections.at(-1);
      if (section) section.text += `${plain(token.raw)} `;
    }
  }
  return { path, title, html: marked.parser(tokens), headings, sections };
}

function renderTable({ header, rows }: Tokens.Table, inline: (cell: Tokens.TableCell) => string): string {
  const row = (cells: Tokens.TableCell[], tag: 'td' | 'th') => {
    const shown = cells.map((cell) => {
      // Screen readers announce empty headers.
      const own = cell.text === '' ? 'td' : tag;
      return `<${own}>${inline(cell)}</${own}>`;
    });
    return `<tr>${shown.join('')}</tr>`;
  };
  const head = header.some(({ text }) => text !== '') ? `<thead>${row(header, 'th')}</thead>` : '';
  return `<table>${head}<tbody>${rows.map((cells) => row(cells, 'td')).join('\n')}</tbody></table>`;
}

/** Returns the address of a link; null: the target is a file of the repository, which is not served. */
function resolveLink(href: string, file: string, known: ReadonlySet<string>, base: string): string | null {
  if (/^https?:/.test(href)) return href;
  const [target = '', anchor] = href.split('#', 2);
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (target === '') return hash;
  const linked = posix.join(posix.dirname(file), target);
  if (known.has(linked)) return urlOf(base, pathOf(linked)) + hash;
  return null;
}

/** Reads the sidebar from the tables of the table of contents. */
function readGroups(contents: string): Group[] {
  const groups: Group[] = [];
  for (const token of new Marked({ gfm: true }).lexer(contents)) {
    if (token.type === 'heading' && token.depth === 2) groups.push({ title: token.text, links: [] });
    if (token.type !== 'table') continue;
    for (const [cell] of (token as Tokens.Table).rows) {
      const [, title, file] = /^\[(.+)\]\((.+\.md)\)$/.exec(cell?.text ?? '') ?? [];
      if (title && file) groups.at(-1)?.links.push({ path: pathOf(file), title });
    }
  }
  return groups;
}

/** Makes the anchor of a heading, as GitHub does. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\d _-]/gu, '')
    .replaceAll(' ', '-');
}

/** Removes the marks of Markdown. */
function plain(markdown: string): string {
  return markdown
    .replace(/^\s*```.*$/gm, '')
    .replace(/^\|[-| ]+\|$/gm, '')
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replace(/[`*]+/g, '')
    .replaceAll('|', ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
