import type { Owner } from '@chorus/contract';
import type { Database } from '@chorus/database';
import type { Piece } from './piece.ts';
import { RevisionFiles, type RevisionStore } from './revision-files.ts';

/** Maximum length of a sentence shared by two pieces. */
const MAX_OVERLAP = 2_000;

/**
 * Builds Markdown from the pieces of an entry's searchable revision. Returns null if there is no entry; empty
 * if nothing is searchable yet. Stops soon after `maxChars`.
 *
 * @param isAsked returns whether to include the pieces of these pages. Default: all
 * @throws {ChorusError} store_unavailable
 */
export async function readEntryText(
  { database, ...store }: RevisionStore & { database: Pick<Database, 'knowledge'> },
  owner: Owner,
  id: string,
  maxChars: number,
  isAsked: (first: number, last: number) => boolean = () => true,
): Promise<{ title: string; content: string } | null> {
  const entry = await database.knowledge.get(owner, id);
  if (entry === null) return null;
  const { title, searchable_revision, page_count } = entry;
  if (searchable_revision === null) return { title, content: '' };
  const parts: string[] = [];
  let length = 0;
  let before: Piece | null = null;
  for await (const { piece, lastPage } of withLastPages(new RevisionFiles(store, id, searchable_revision).pieces())) {
    if (piece.page !== null && !isAsked(piece.page, lastPage ?? page_count ?? piece.page)) continue;
    const part = [...newHeadings(before, piece), withoutOverlap(before, piece)]
      .filter((text) => text !== '')
      .join('\n\n');
    parts.push(part);
    length += part.length + 2;
    before = piece;
    if (length > maxChars + MAX_OVERLAP) break;
  }
  return { title, content: parts.join('\n\n') };
}

/** Adds the page on which the next piece begins, since a piece may extend to it. Null: none. */
async function* withLastPages(pieces: AsyncIterable<Piece>): AsyncGenerator<{ piece: Piece; lastPage: number | null }> {
  let piece: Piece | null = null;
  for await (const next of pieces) {
    if (piece !== null) yield { piece, lastPage: next.page };
    piece = next;
  }
  if (piece !== null) yield { piece, lastPage: null };
}

function newHeadings(before: Piece | null, { heading_path }: Piece): string[] {
  const same = heading_path.findIndex((heading, level) => before?.heading_path[level] !== heading);
  const isNew = same === -1 && before !== null ? [] : heading_path.slice(Math.max(same, 0));
  return isNew.map(
    (heading, index) => `${'#'.repeat(Math.min(6, heading_path.length - isNew.length + index + 1))} ${heading}`,
  );
}

/** Removes sentences repeated from the end of the previous piece. */
function withoutOverlap(before: Piece | null, { text, kind }: Piece): string {
  if (before === null || kind !== 'text') return text;
  for (let length = Math.min(text.length, before.text.length, MAX_OVERLAP); length > 0; length -= 1)
    if (before.text.endsWith(text.slice(0, length))) return text.slice(length).trimStart();
  return text;
}
