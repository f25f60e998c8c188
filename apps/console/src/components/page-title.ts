import { useEffect } from 'react';

/** Sets the title of the browser tab, most specific part first. Empty parts are left out. */
export function usePageTitle(...parts: (string | null | undefined)[]): void {
  const known = parts.filter((part) => typeof part === 'string' && part !== '');
  const title = [...known, ...(known.at(-1)?.endsWith('Chorus') ? [] : ['Chorus'])].join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
}
