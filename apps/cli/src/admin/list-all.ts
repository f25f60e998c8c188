import type { ListQuery, Page } from '@chorus/contract';

const PAGE = 100;

export async function listAll<T>(list: (query: ListQuery) => Promise<Page<T>>): Promise<T[]> {
  const records: T[] = [];
  for (let after: string | undefined; ; ) {
    const page = await list({ limit: PAGE, ...(after === undefined ? {} : { after }) });
    records.push(...page.data);
    if (page.next_cursor === null) return records;
    after = page.next_cursor;
  }
}
