import { escapeHtml, type Page, type Site } from './load-pages.ts';

/** Returns a page of the documentation with its frame. It has no inline script or style. */
export function sitePage({ pages, groups }: Site, page: Page, base: string): string {
  const link = (path: string, title: string, attributes = '') =>
    `<a href="${base}/docs${path === '' ? '' : `/${path}`}"${attributes}>${escapeHtml(title)}</a>`;
  const order = groups.flatMap(({ links }) => links);
  const at = order.findIndex(({ path }) => path === page.path);
  const before = at > 0 ? order[at - 1] : undefined;
  const after = at >= 0 ? order[at + 1] : undefined;
  const design = [...pages.values()].filter(({ path }) => path.startsWith('design/'));
  const all = [...groups, { title: 'How it works', links: design }];
  const sidebar = all.map(
    ({ title, links }) =>
      `<h2>${escapeHtml(title)}</h2>\n<ul>\n${links
        .map(
          ({ path, title: name }) => `<li>${link(path, name, path === page.path ? ' aria-current="page"' : '')}</li>`,
        )
        .join('\n')}\n</ul>`,
  );
  const contents = page.headings.map(({ id, text }) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)} · Chorus</title>
<link rel="icon" href="${base}/docs/favicon.png">
<link rel="stylesheet" href="${base}/docs/site.css">
<script src="${base}/docs/site.js" data-base="${base}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
${link('', 'Chorus docs', ' class="brand"')}
<search><input id="search" class="search" type="search" placeholder="Search" aria-label="Search the documentation" aria-controls="results" autocomplete="off">
<div id="results" class="results" hidden></div></search>
<nav aria-label="Site"><a href="${base}/docs/api">API reference</a> <a href="${base}/">Console</a></nav>
</header>
<details class="menu" open><summary>Pages</summary>
<nav aria-label="Pages">
${sidebar.join('\n')}
</nav>
</details>
<main id="content">
${page.html}
<footer>
${before ? `<span>Previous: ${link(before.path, before.title)}</span>` : '<span></span>'}
${after ? `<span>Next: ${link(after.path, after.title)}</span>` : ''}
</footer>
</main>
${contents.length > 1 ? `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>\n${contents.join('\n')}\n</ul></nav>` : ''}
</body>
</html>
`;
}
