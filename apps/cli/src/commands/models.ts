import { UsageError } from '../command.ts';
import { defineCommand, textOption } from './define-command.ts';
import { EXIT } from './exit-codes.ts';

export const models = defineCommand({
  usage: '',
  summary: 'Lists the models that can run now.',
  details: '--can <capability>   chat, vision, image, video, speech, transcription, ocr, embedding, or upscale',
  options: { can: { type: 'string' } },
  async run({ chorus, args, options, output, interrupts: { signal } }) {
    if (args.length > 0) throw new UsageError('This command takes no arguments.');
    const wanted = textOption(options, 'can');
    const { data } = await chorus.models.list({ signal });
    const shown = data.filter(({ capabilities }) => !wanted || (capabilities as string[]).includes(wanted));
    output.table(['MODEL', 'CAPABILITIES', 'CONTEXT'], shown, (one) => [
      one.id,
      one.capabilities.join(', '),
      one.context_window === null ? null : String(one.context_window),
    ]);
    return EXIT.done;
  },
});
