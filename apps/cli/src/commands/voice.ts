import { UsageError } from '../command.ts';
import { defineCommand, textOption } from './define-command.ts';
import { openFile } from './files.ts';
import { exitCodeOfEnd, runExecution } from './run-execution.ts';
import { assertOutputIsNew, saveAssets } from './save-assets.ts';

const FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;

export const voice = defineCommand({
  usage: '<file> [-o <path>], or --text <words>',
  summary: 'Sends speech or text and saves the spoken answer.',
  details: [
    'The file contains audio, or video with audio. The transcript and the answer are printed too.',
    '',
    '--session <id>       continues a session',
    '--voice <name>       voice of the answer',
    `--format <name>      ${FORMATS.join(', ')}`,
    '--model <name>       provider/model of the answer',
    '-o, --output <path>  file or folder; default: the current folder, named after the execution',
    '--force              overwrites the file',
    'Ctrl-C cancels it.',
  ].join('\n'),
  options: {
    text: { type: 'string' },
    session: { type: 'string' },
    voice: { type: 'string' },
    format: { type: 'string' },
    model: { type: 'string' },
    output: { type: 'string', short: 'o' },
    force: { type: 'boolean' },
  },
  async run(context) {
    const { args, options, output, chorus, from } = context;
    const [path, ...more] = args;
    const text = textOption(options, 'text');
    if ((path === undefined) === (text === undefined) || more.length > 0)
      throw new UsageError('Specify one file, or --text.');
    const asked = textOption(options, 'format');
    const format = FORMATS.find((one) => one === asked);
    if (asked !== undefined && format === undefined)
      throw new UsageError(`--format must be one of: ${FORMATS.join(', ')}.`);
    await assertOutputIsNew(context);
    const request = {
      ...(path === undefined ? { text } : { file: await openFile(from, path) }),
      session_id: textOption(options, 'session'),
      voice: textOption(options, 'voice'),
      model: textOption(options, 'model'),
      format,
    };
    const execution = await runExecution(context, chorus.voice.chat.stream(request));
    for (const item of execution.output) {
      if (item.type === 'transcript') output.line(`You: ${item.text}`);
      if (item.type === 'text') output.line(item.text);
    }
    await saveAssets(context, execution);
    return exitCodeOfEnd(context, execution);
  },
});
