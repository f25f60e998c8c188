import { defineActions } from './define-actions.ts';
import { textOption } from './define-command.ts';
import { EXIT } from './exit-codes.ts';

export const sessions = defineActions({
  name: 'sessions',
  summary: 'Lists, shows, renames, and deletes conversations; `chat --session` continues one.',
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
    delete: {
      args: '<id> …',
      does: 'deletes them with their messages',
      async run({ chorus, output, interrupts: { signal } }, ...ids) {
        for (const id of ids) output.done(`${id}  deleted`, await chorus.sessions.delete(id, { signal }));
        return EXIT.done;
      },
    },
  },
  options: { query: { type: 'string' } },
});
