// @ts-nocheck -- runs in the browser.
const { base } = document.currentScript.dataset;
const input = document.getElementById('search');
const results = document.getElementById('results');
const menu = document.querySelector('.menu');
const MAX_RESULTS = 12;

// Errors of earlier versions link to this page.
if (location.hash.startsWith('#errors-')) location.replace(`${base}/docs/api${location.hash}`);

const isNarrow = matchMedia('(max-width: 899px)');
const fitMenu = () => {
  menu.open = !isNarrow.matches;
};
isNarrow.addEventListener('change', fitMenu);
fitMenu();
menu.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });

for (const block of document.querySelectorAll('main pre')) {
  const frame = document.createElement('div');
  frame.className = 'code';
  block.tabIndex = 0;
  block.replaceWith(frame);
  frame.append(block);
  if (!navigator.clipboard) continue;
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.textContent);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
  frame.append(button);
}

let loading = null;
const sections = () => {
  loading ??= fetch(`${base}/docs/search.json`).then((response) => {
    if (!response.ok) throw new Error(`Status ${response.status}`);
    return response.json();
  });
  return loading;
};

/** Rates a section: every word must occur; titles count more than text, guides more than design. Zero: no match. */
function rate({ url, page, heading, text }, words) {
  const [title, head, body] = [page, heading, text].map((part) => part.toLowerCase());
  let total = 0;
  for (const word of words) {
    const found = (title.includes(word) ? 6 : 0) + (head.includes(word) ? 8 : 0) + (body.includes(word) ? 2 : 0);
    if (found === 0) return 0;
    total += found;
  }
  if (body.replaceAll('-', ' ').includes(words.join(' '))) total += 3;
  return url.includes('/docs/design/') ? total / 4 : total;
}

/** Appends text with the words marked. */
function appendMarked(parent, text, words) {
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  for (const [index, part] of text.split(new RegExp(`(${escaped.join('|')})`, 'gi')).entries()) {
    const piece = index % 2 === 0 ? part : document.createElement('mark');
    if (index % 2 === 1) piece.textContent = part;
    parent.append(piece);
  }
}

function show(found, words) {
  results.replaceChildren();
  results.hidden = false;
  if (found.length === 0) {
    const none = document.createElement('p');
    none.textContent = 'No results.';
    results.append(none);
  }
  for (const { url, page, heading, text } of found) {
    const link = document.createElement('a');
    link.href = url;
    const title = document.createElement('span');
    appendMarked(title, heading === '' ? page : `${page}: ${heading}`, words);
    const at = text.toLowerCase().indexOf(words.find((word) => text.toLowerCase().includes(word)) ?? words[0]);
    const from = Math.max(0, at - 40);
    const excerpt = document.createElement('small');
    appendMarked(excerpt, `${from > 0 ? '…' : ''}${text.slice(from, from + 120)}…`, words);
    link.append(title, excerpt);
    results.append(link);
  }
}

let latest = 0;
async function search() {
  latest += 1;
  const turn = latest;
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) {
    results.hidden = true;
    return;
  }
  try {
    const all = await sections();
    if (turn !== latest) return;
    const rated = all.map((section) => ({ section, rating: rate(section, words) })).filter(({ rating }) => rating > 0);
    rated.sort((a, b) => b.rating - a.rating);
    show(
      rated.slice(0, MAX_RESULTS).map(({ section }) => section),
      words,
    );
  } catch {
    loading = null;
    results.textContent = 'The search could not be loaded. Type again to retry.';
    results.hidden = false;
  }
}

input.addEventListener('input', search);
document.addEventListener('keydown', (event) => {
  const links = [...results.querySelectorAll('a')];
  const at = links.indexOf(document.activeElement);
  const isSearching = document.activeElement === input || at >= 0;
  if (event.key === '/' && !isSearching && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    input.focus();
  } else if (event.key === 'Escape' && isSearching) {
    results.hidden = true;
    input.focus();
  } else if (isSearching && !results.hidden && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
    event.preventDefault();
    const next = at + (event.key === 'ArrowDown' ? 1 : -1);
    (links[next] ?? input).focus();
  } else if (event.key === 'Enter' && document.activeElement === input && !results.hidden) {
    links[0]?.click();
  }
});
document.addEventListener('click', (event) => {
  if (!event.target.closest('search')) results.hidden = true;
});
// A result on the same page only changes the anchor.
results.addEventListener('click', () => {
  results.hidden = true;
});
