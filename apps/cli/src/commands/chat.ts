import { createInterface } from 'node:readline/promises';
import { addAbortSignal } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import type { BodyOf } from '@chorus/client';
import { type Options, UsageError } from '../command.ts';
import { type CommandContext, defineCommand, listOption, textOption } from './define-command.ts';
import { EXIT } from './exit-codes.ts';
import { openFile } from './files.ts';
import { runAnswer } from './run-answer.ts';

type Turn = BodyOf<'POST /chat/completions'>;

export const chat = defineCommand({
  usage: '[<message>…]',
  summary: 'Chats: a single turn, or a conversation at a terminal.',
  details: [
    'Without a message, starts a conversation at a terminal, or reads the message from standard input. In a terminal, the answer appears as it is written.',
    'Ctrl-C cancels the turn.',
    'The steps of an agent are shown on standard error, and a terminal asks you to approve calls. Without a terminal, the command ends with exit code 7 when calls wait; decide with `chorus jobs approve` or `deny`.',
    '',
    '--session <id>       continues a session; default: a new session',
    '--temporary          starts a session that is not listed, and is erased after an hour',
    '--model <name>       provider/model',
    '--agent <id>         uses this agent',
    '--attach <file>      adds an image, a document, or audio to the first message; repeatable',
    '--knowledge          answers from your documents with citations; --tag <tag> limits it to documents with the tag',
  ].join('\n'),
  options: {
    session: { type: 'string' },
    temporary: { type: 'boolean' },
    model: { type: 'string' },
    agent: { type: 'string' },
    attach: { type: 'string', multiple: true },
    knowledge: { type: 'boolean' },
    tag: { type: 'string', multiple: true },
  },
  async run(context) {
    const { args, options, interrupts } = context;
    const common = turnOptions(options);
    const files = listOption(options, 'attach') ?? [];
    const given =
      args.length > 0
        ? args.join(' ')
        : process.stdin.isTTY
          ? null
          : await readAll(addAbortSignal(interrupts.signal, process.stdin));
    if (given?.trim() === '') throw new UsageError('Specify a message.');
    const uploads = await Promise.all(files.map((path) => attach(context, path)));
    const attachments = uploads.length === 0 ? undefined : uploads;
    if (given === null) return converse(context, { ...common, attachments });
    const { code } = await runTurn(context, { ...common, attachments, message: given });
    return code;
  },
});

const IMAGE = /\.(?:png|jpe?g|webp|gif|tiff?|avif)$/i;

/** Uploads a file, and returns the id to attach. Documents and audio are read while the turn waits. */
async function attach({ chorus, from, interrupts: { signal } }: CommandContext, path: string): Promise<string> {
  const file = await openFile(from, path);
  if (IMAGE.test(path)) return (await chorus.assets.upload(file, { signal })).id;
  const { data } = await chorus.knowledge.upload(file, { for_conversation: true }, { signal });
  return data[0]?.id ?? '';
}

function turnOptions(options: Options): Turn {
  const tags = listOption(options, 'tag');
  const knowledge = options.knowledge === true || tags !== undefined ? { tags } : undefined;
  const session_id = textOption(options, 'session');
  if (options.temporary === true && session_id !== undefined)
    throw new UsageError('--temporary starts a session, so leave out --session.');
  const temporary = options.temporary === true || undefined;
  return { session_id, temporary, model: textOption(options, 'model'), knowledge };
}

async function runTurn(context: CommandContext, turn: Turn): Promise<{ code: number; sessionId: string | null }> {
  const { code, execution } = await runAnswer(context, (options) => context.chorus.chat.stream(turn, options));
  return { code, sessionId: execution.session_id };
}

async function converse(context: CommandContext, first: Turn): Promise<number> {
  const { interrupts, output } = context;
  let turn = first;
  let code: number = EXIT.done;
  for (;;) {
    const terminal = createInterface({ input: process.stdin, output: process.stdout, terminal: true });
    const message = await terminal.question('> ', { signal: interrupts.signal }).catch(() => null);
    terminal.close();
    if (message === null) break;
    if (message.trim() === '') continue;
    const done = await runTurn(context, { ...turn, message });
    code = done.code;
    if (code === EXIT.waiting) return code;
    interrupts.reset();
    turn = { ...turn, attachments: undefined, temporary: undefined, session_id: done.sessionId ?? turn.session_id };
  }
  if (turn.session_id) output.note(`\nTo continue: chorus chat --session ${turn.session_id}`);
  return code;
}
