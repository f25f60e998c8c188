import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { defineActions } from './define-actions.ts';
import { textOption } from './define-command.ts';
import { EXIT } from './exit-codes.ts';
import { numberOption } from './number-option.ts';

const DAY_MS = 86_400_000;

export const sessions = defineActions({
  name: 'sessions',
  summary: 'Lists, shows, shares, exports, and imports conversations; `chat --session` continues one.',
  actions: {
    list: {
      does: 'lists pinned ones, then the newest; --query searches titles and messages',
      async run({ chorus, options, output, interrupts: { signal } }) {
        const all = await Array.fromAsync(
          chorus.sessions.all({ limit: 100, q: textOption(options, 'query') }, { signal }),
        );
        output.table(['ID', 'UPDATED', 'TITLE'], all, (one) => [one.id, one.updated_at, one.title]);
        return EXIT.done;
      },
    },
    show: {
      args: '<id>',
      does: 'prints the messages',
      async run({ chorus, output, interrupts: { signal } }, id = '') {
        for await (const message of chorus.messages.all(id, { limit: 100 }, { signal })) {
          output.record(message);
          output.line(`${message.role}: ${message.content.trim()}\n`);
        }
        return EXIT.done;
      },
    },
    rename: {
      args: '<id> <title>',
      does: 'changes the title',
      async run({ chorus, output, interrupts: { signal } }, id = '', title = '') {
        output.done(`${id}  ${title}`, await chorus.sessions.update(id, { title }, { signal }));
        return EXIT.done;
      },
    },
    archive: {
      args: '<id> …',
      does: 'takes them out of the list; a new message brings one back',
      async run({ chorus, output, interrupts: { signal } }, ...ids) {
        for (const id of ids)
          output.done(`${id}  archived`, await chorus.sessions.update(id, { archived: true }, { signal }));
        return EXIT.done;
      },
    },
    share: {
      args: '<id>',
      does: 'prints a link for people without an account; --days limits its lifetime',
      async run({ chorus, options, output, interrupts: { signal } }, id = '') {
        const days = numberOption(options, 'days');
        const expires_at = days === undefined ? null : new Date(Date.now() + days * DAY_MS).toISOString();
        const share = await chorus.sessions.share(id, { expires_at }, { signal });
        output.done(share.url, share);
        return EXIT.done;
      },
    },
    export: {
      args: '[<id>]',
      does: 'prints one as Markdown, or with --json as JSON; without an id, all of them as JSON lines',
      async run({ chorus, output, interrupts: { signal } }, id) {
        if (id === undefined) {
          for await (const one of chorus.sessions.exportAll({ signal })) output.done(JSON.stringify(one), one);
        } else if (output.json) output.document(JSON.parse(await chorus.sessions.export(id, 'json', { signal })));
        else output.text(await chorus.sessions.export(id, 'markdown', { signal }));
        return EXIT.done;
      },
    },
    import: {
      args: '<file>',
      does: 'imports an export of Chorus, ChatGPT, LibreChat, or Open WebUI',
      async run({ chorus, output, from, interrupts: { signal } }, file = '') {
        const text = await readFile(resolve(from, file), 'utf8');
        const { data, imported, skipped, failed } = await chorus.sessions.import(text, { signal });
        for (const one of data) output.record(one);
        for (const { index, title, error } of data)
          if (error)
            output.note(`${title ?? `Conversation ${index + 1}`}: ${[error.path, error.message].join(' ').trim()}`);
        output.line(`${imported} imported, ${skipped} skipped, ${failed} failed`);
        return failed > 0 ? EXIT.failed : EXIT.done;
      },
    },
    delete: {
      args: '<id> …',
      does: 'deletes them with their messages',
      async run({ chorus, output, interrupts: { signal } }, ...ids) {
        for (const id of ids) output.done(`${id}  deleted`, await chorus.sessions.delete(id, { signal }));
        return EXIT.done;
      },
    },
  },
  options: { query: { type: 'string' }, days: { type: 'string' } },
  details: [
    '--query <words>      only conversations with these words',
    '--days <number>      how long a link works; default: until it is revoked',
  ],
});
