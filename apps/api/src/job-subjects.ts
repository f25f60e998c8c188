import { findKind, isId, type Owner } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { Services } from './services.ts';

const MAX_CHARS = 160;

/**
 * Returns what each execution is about, by id: its prompt, question, or file, or else the title of its session. At
 * most three round trips for all.
 */
export async function subjectsOf(
  { database }: Pick<Services, 'database'>,
  owner: Owner,
  records: readonly ExecutionRecord[],
): Promise<Map<string, string>> {
  const named = new Map(records.map(({ id, kind, input }) => [id, findKind(kind)?.subjectOf?.(input)]));
  const given = [...named.values()].filter((name) => name !== undefined);
  const sessions = records.filter(({ id }) => !named.get(id)).flatMap(({ session_id }) => session_id ?? []);
  const [files, documents, titles] = await Promise.all([
    namesOf(given, 'asset', (ids) => database.assets.filenames(owner, ids)),
    namesOf(given, 'knowledge', (ids) => database.knowledge.titles(owner, ids)),
    titlesOf(database, owner, sessions),
  ]);
  return new Map(
    records.flatMap(({ id, session_id }) => {
      const name = named.get(id) || titles.get(session_id ?? '');
      const text = name && oneLine(files.get(name) ?? documents.get(name) ?? (isRecord(name) ? '' : name));
      return text ? [[id, text] as const] : [];
    }),
  );
}

type Names = ReadonlyMap<string, string>;

const isRecord = (name: string) => isId('asset', name) || isId('knowledge', name);

async function namesOf(
  given: readonly string[],
  kind: 'asset' | 'knowledge',
  read: (ids: string[]) => Promise<Names>,
): Promise<Names> {
  const ids = [...new Set(given.filter((name) => isId(kind, name)))];
  return ids.length === 0 ? new Map() : read(ids);
}

async function titlesOf({ sessions }: Services['database'], owner: Owner, ids: readonly string[]): Promise<Names> {
  if (ids.length === 0) return new Map();
  const found = await sessions.getMany(owner, [...new Set(ids)], {});
  return new Map(found.flatMap(({ id, title }) => (title === null ? [] : [[id, title] as const])));
}

function oneLine(text: string): string {
  const line = text
    .slice(0, MAX_CHARS * 2)
    .replace(/\s+/gu, ' ')
    .trim();
  return line.length <= MAX_CHARS ? line : `${line.slice(0, MAX_CHARS - 1).toWellFormed()}…`;
}
