import { UsageError } from '../command.ts';
import { defineCommand, listOption, textOption } from './define-command.ts';
import { numberOption } from './number-option.ts';
import { runAnswer } from './run-answer.ts';

export const ask = defineCommand({
  usage: '<question>…',
  summary: 'Answers a question from your documents.',
  details: [
    'The answer uses only your documents and lists its sources.',
    '',
    '--tag <tag>          only documents with this tag; repeatable',
    '--top-k <number>     maximum number of passages',
    '--session <id>       adds the question to a session',
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
    if (question.trim() === '') throw new UsageError('Specify a question.');
    const request = {
      question,
      tags: listOption(options, 'tag'),
      top_k: numberOption(options, 'top-k'),
      session_id: textOption(options, 'session'),
      model: textOption(options, 'model'),
    };
    return (await runAnswer(context, (given) => chorus.knowledge.ask.stream(request, given))).code;
  },
});
