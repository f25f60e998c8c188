import { defineActions } from './define-actions.ts';
import { textOption } from './define-command.ts';
import { EXIT } from './exit-codes.ts';

export const documents = defineActions({
  name: 'documents',
  summary: 'Lists, shows, retries, and deletes documents; `ingest` adds them, `ask` answers from them.',
  actions: {
    list: {
      does: 'lists the newest first; --tag, --status, and --query filter',
      async run({ chorus, options, output, interrupts: { signal } }) {
        const status = textOption(options, 'status') as 'processing' | 'ready' | 'failed' | undefined;
        const query = { limit: 100, tag: textOption(options, 'tag'), status, q: textOption(options, 'query') };
        const all = await Array.fromAsync(chorus.knowledge.all(query, { signal }));
        output.table(['ID', 'STATUS', 'TITLE', 'TAGS', 'CREATED'], all, (one) => [
          one.id,
          one.status,
          one.title,
          one.tags.join(', '),
          one.created_at,
        ]);
        return EXIT.done;
      },
    },
    get: {
      args: '<id>',
      does: 'shows one as JSON',
      async run({ chorus, output, interrupts: { signal } }, id = '') {
        output.document(await chorus.knowledge.get(id, { signal }));
        return EXIT.done;
      },
    },
    retry: {
      args: '<id>',
      does: 'continues one that failed',
      async run({ chorus, output, interrupts: { signal } }, id = '') {
        const entry = await chorus.knowledge.retry(id, { signal });
        output.done(`${id}  ${entry.status}`, entry);
        return EXIT.done;
      },
    },
    delete: {
      args: '<id> …',
      does: 'deletes them; answers lose their quotes',
      async run({ chorus, output, interrupts: { signal } }, ...ids) {
        for (const id of ids) output.done(`${id}  deleted`, await chorus.knowledge.delete(id, { signal }));
        return EXIT.done;
      },
    },
  },
  options: { tag: { type: 'string' }, status: { type: 'string' }, query: { type: 'string' } },
  details: [
    '--tag <tag>          only documents with this tag',
    '--status <status>    processing, ready, or failed',
    '--query <words>      only documents with these words in the title',
  ],
});
