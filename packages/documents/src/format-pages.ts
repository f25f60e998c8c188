/** Page numbers in order, as people write them: `1-3, 7`. What is beyond twenty ranges is left to an ellipsis. */
export function formatPages(pages: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const page of pages) {
    const range = ranges.at(-1);
    if (range?.[1] === page - 1) range[1] = page;
    else ranges.push([page, page]);
  }
  const shown = ranges.slice(0, 20).map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`));
  return [...shown, ...(ranges.length > shown.length ? ['…'] : [])].join(', ');
}
