import type { TurnSettings } from './turn-work.ts';

/** What a model is told of an answer that is heard, where nobody has told it how to answer. */
const INSTRUCTIONS =
  'You are in a spoken conversation: your answer is read aloud. Be brief: one to three short sentences, unless more is asked for. Write as people speak, without ' +
  'headings, lists, tables, code, links or emoji.';

/** The settings of a turn whose answer is spoken. */
export function spokenTurn(settings: TurnSettings): TurnSettings {
  return settings.instructions ? settings : { ...settings, instructions: INSTRUCTIONS };
}
