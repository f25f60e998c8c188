import type { ExecutionStream } from '@chorus/client';
import { UsageError } from '../command.ts';
import { type CommandContext, defineCommand, textOption } from './define-command.ts';
import { describeProviderWait } from './describe-provider-wait.ts';
import { numberOption } from './number-option.ts';
import { exitCodeOfEnd, runExecution } from './run-execution.ts';
import { assertOutputIsNew, saveAssets } from './save-assets.ts';

const SHARED_OPTIONS = {
  model: { type: 'string' },
  size: { type: 'string' },
  seed: { type: 'string' },
  output: { type: 'string', short: 'o' },
  force: { type: 'boolean' },
} as const;

const SHARED_HELP = [
  '--size <w>x<h>       in pixels',
  '--seed <number>      repeats a result, if the model supports it',
  '--model <name>       provider/model',
  '-o, --output <path>  file or folder; default: the current folder, named after the execution',
  '--force              overwrites the file',
  'Ctrl-C cancels it.',
];

export const image = defineCommand({
  usage: '<prompt>… [-o <path>]',
  summary: 'Generates images.',
  details: ['-n <number>          how many', '--negative <text>    what to avoid', ...SHARED_HELP].join('\n'),
  options: { ...SHARED_OPTIONS, n: { type: 'string', short: 'n' }, negative: { type: 'string' } },
  run: async (context) => {
    await assertOutputIsNew(context);
    const { chorus, options } = context;
    const request = {
      ...shared(context),
      n: numberOption(options, 'n'),
      negative_prompt: textOption(options, 'negative'),
    };
    return make(context, chorus.iris.generate.stream(request));
  },
});

export const video = defineCommand({
  usage: '<prompt>… [-o <path>]',
  summary: 'Generates a video.',
  details: ['--seconds <number>   how long', '--fps <number>       frames per second', ...SHARED_HELP].join('\n'),
  options: { ...SHARED_OPTIONS, seconds: { type: 'string' }, fps: { type: 'string' } },
  run: async (context) => {
    await assertOutputIsNew(context);
    const { options } = context;
    const request = {
      ...shared(context),
      duration_s: numberOption(options, 'seconds'),
      fps: numberOption(options, 'fps'),
    };
    return make(context, context.chorus.iris.video.stream(request));
  },
});

function shared({ args, options }: CommandContext) {
  const prompt = args.join(' ');
  if (prompt.trim() === '') throw new UsageError('Specify a prompt.');
  return {
    prompt,
    size: textOption(options, 'size'),
    seed: numberOption(options, 'seed'),
    model: textOption(options, 'model'),
  };
}

async function make(context: CommandContext, stream: ExecutionStream): Promise<number> {
  const bar = context.output.progressBar();
  const execution = await runExecution(context, stream, (_frame, { progress, status, waitingFor }) =>
    bar.show(
      progress?.completed ?? 0,
      progress?.total ?? 1,
      waitingFor ? describeProviderWait(waitingFor) : (progress?.stage ?? status),
    ),
  ).finally(() => bar.clear());
  await saveAssets(context, execution);
  return exitCodeOfEnd(context, execution);
}
