import { analyse } from '../analysis/analyse.ts';
import type { StoredChunk } from '../search.ts';
import { literal } from '../store/sql.ts';

/** Stands behind the title's terms, which may change while the others stay. `analyse` makes no such term, so no question has it. */
const END_OF_TITLE = '|';

/** What a chunk is found by: its entry's title, the headings above it, and its text. */
export const chunkTerms = ({
  title,
  heading_path,
  text,
}: Pick<StoredChunk, 'title' | 'heading_path' | 'text'>): string =>
  `${titleTerms(title)}${analyse(`${heading_path.join('\n')}\n${text}`)}`;

/** The engine's own expression for a chunk's terms under another title. */
export const retitledTerms = (title: string): string =>
  `concat(${literal(titleTerms(title))}, regexp_replace(terms, '^[^${END_OF_TITLE}]*[${END_OF_TITLE}] ', ''))`;

const titleTerms = (title: string): string => `${analyse(title)} ${END_OF_TITLE} `;
