import { analyze } from '../analysis/analyze.ts';
import type { StoredChunk } from '../search.ts';
import { literal } from '../store/sql.ts';

/** Terminates the title's terms, which change independently. `analyze` never produces it, so no question matches it. */
const END_OF_TITLE = '|';

export const chunkTerms = ({
  title,
  heading_path,
  text,
}: Pick<StoredChunk, 'title' | 'heading_path' | 'text'>): string =>
  `${titleTerms(title)}${analyze(`${heading_path.join('\n')}\n${text}`)}`;

export const retitledTerms = (title: string): string =>
  `concat(${literal(titleTerms(title))}, regexp_replace(terms, '^[^${END_OF_TITLE}]*[${END_OF_TITLE}] ', ''))`;

const titleTerms = (title: string): string => `${analyze(title)} ${END_OF_TITLE} `;
