import { useEffect } from 'react';

let pageTitle = document.title;
let count = 0;

function show(): void {
  document.title = count === 0 ? pageTitle : `(${count}) ${pageTitle}`;
}

/** Sets the title of the browser tab, most specific part first. Empty parts are left out. */
export function usePageTitle(...parts: (string | null | undefined)[]): void {
  const known = parts.filter((part) => typeof part === 'string' && part !== '');
  const title = [...known, ...(known.at(-1)?.endsWith('Chorus') ? [] : ['Chorus'])].join(' · ');
  useEffect(() => {
    pageTitle = title;
    show();
  }, [title]);
}

/** Puts a number before the title, to count events while the tab was hidden. Zero removes it. */
export function setTitleCount(next: number): void {
  count = next;
  show();
}
