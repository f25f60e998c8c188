import { createInterface } from 'node:readline/promises';
import { addAbortSignal } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import type { BodyOf } from '@chorus/client';
import { type Options, UsageError } from '../command.ts';
import { EXIT } from './exit-codes.ts';
import { openFile } from './files.ts';
import { listOption, type RemoteContext, remoteCommand, textOption } from './remote-command.ts';
import { runAnswer } from './run-answer.ts';

type Turn = BodyOf<'POST /chat/completions'>;

export const chat = remoteCommand({
  usage: '[<message>…]',
  says: 'Chats: one turn, or at a terminal one after the other.',
  details: [
    'Without a message a terminal is talked with, and else standard input is the message. What is written to a terminal comes as it is made, elsewhere when it is whole.',
    'Ctrl-C cancels the turn.',
    '',
    '--session <id>       goes on with a session; a new one is opened otherwise',
    '--model <name>       provider/model',
    '--agent <id>         as this agent',
    '--attach <file>      an image that goes with the first message; may come several times',
    '--knowledge          answers from your documents, with citations; --tag <tag> only from those with it',
  ].join('\n'),
  options: {
    session: { type: 'string' },
    model: { type: 'string' },
    agent: { type: 'string' },
    attach: { type: 'string', multiple: true },
    knowledge: { type: 'boolean' },
    tag: { type: 'string', multiple: true },
  },
  async run(context) {
    const { args, options, chorus, from, interrupts } = context;
    const common = turnOptions(options);
    const files = listOption(options, 'attach') ?? [];
    const given =
      args.length > 0
        ? args.join(' ')
        : process.stdin.isTTY
          ? null
          : await readAll(addAbortSignal(interrupts.signal, process.stdin));
    if (given?.trim() === '') throw new UsageError('There is no message.');
    const uploads = await Promise.all(
      files.map(async (path) => chorus.assets.upload(await openFile(from, path), { signal: interrupts.signal })),
    );
    const attachments = uploads.length === 0 ? undefined : uploads.map(({ id }) => id);
    if (given === null) return converse(context, { ...common, attachments });
    const { code } = await runTurn(context, { ...common, attachments, message: given });
    return code;
  },
});

function turnOptions(options: Options): Turn {
  const tags = listOption(options, 'tag');
  const knowledge = options.knowledge === true || tags !== undefined ? { tags } : undefined;
  return { session_id: textOption(options, 'session'), model: textOption(options, 'model'), knowledge };
}

async function runTurn(context: RemoteContext, turn: Turn): Promise<{ code: number; sessionId: string | null }> {
  const { code, execution } = await runAnswer(context, context.chorus.chat.stream(turn));
  return { code, sessionId: execution.session_id };
}

/** One turn after the other, until the input ends. */
async function converse(context: RemoteContext, first: Turn): Promise<number> {
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
    interrupts.forget();
    turn = { ...turn, attachments: undefined, session_id: done.sessionId ?? turn.session_id };
  }
  if (turn.session_id) output.note(`\nTo go on: npx chorus chat --session ${turn.session_id}`);
  return code;
}
