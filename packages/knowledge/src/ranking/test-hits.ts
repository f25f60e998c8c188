import type { Hit } from '@chorus/search';

export function hitOf(text: string, facts: Partial<Hit> = {}): Hit {
  const id = facts.id ?? `kno_a:1:${facts.position ?? 0}`;
  return {
    id,
    scope_key: 'personal:usr_a',
    entry_id: 'kno_a',
    revision: 1,
    tags: [],
    title: 'A title',
    text,
    heading_path: [],
    page: null,
    position: 0,
    score: 0.5,
    textScore: 0.5,
    vectorScore: 0.5,
    similarity: null,
    ...facts,
  };
}
