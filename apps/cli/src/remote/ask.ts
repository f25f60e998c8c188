import { UsageError } from '../command.ts';
import { numberOption } from './number-option.ts';
import { listOption, remoteCommand, textOption } from './remote-command.ts';
import { runAnswer } from './run-answer.ts';

export const ask = remoteCommand({
  usage: '<question>…',
  says: 'Asks your documents.',
  details: [
    'The answer comes from what they say and from nothing else; its sources follow it.',
    '',
    '--tag <tag>          only documents with it; may come several times',
    '--top-k <number>     from how many passages at most',
    '--session <id>       as a turn of that session',
    '--model <name>       provider/model',
    'Ctrl-C cancels it.',
  ].join('\n'),
  options: {
    tag: { type: 'string', multiple: true },
    'top-k': { type: 'string' },
    session: { type: 'string' },
    model: { type: 'string' },
  },
  async run(context) {
    const { args, options, chorus } = context;
    const question = args.join(' ');
    if (question.trim() === '') throw new UsageError('There is no question.');
    const request = {
      question,
      tags: listOption(options, 'tag'),
      top_k: numberOption(options, 'top-k'),
      session_id: textOption(options, 'session'),
      model: textOption(options, 'model'),
    };
    return (await runAnswer(context, chorus.knowledge.ask.stream(request))).code;
  },
});
