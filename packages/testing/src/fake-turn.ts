import { behaviorOf, type FakeBehavior } from './fake-behavior.ts';
import { callTool, type FakePiece, refuse, say, think } from './fake-pieces.ts';
import { sampleOf } from './sample-of.ts';

/** Common facts of a request in any wire format. */
export interface FakeConversation {
  /** The texts of all messages, whose words count as input tokens. */
  texts: string[];
  lastUserText: string;
  tools: { name: string; schema: unknown }[];
  choice: 'auto' | 'none' | 'required' | { name: string };
  parallel: boolean;
  /** Results of tools since the last user message, by turn. */
  results: string[][];
  /** The requested schema. `{}` for any JSON, undefined for text. */
  schema: unknown;
  /** Whether it may reason. Default: true. */
  reasons?: boolean;
}

const REFUSAL = "I'm sorry, I cannot help with that.";
const THOUGHT = 'Let me think about it.';

/** Returns the pieces of the answer to a request. */
export function turnOf(behavior: FakeBehavior, conversation: FakeConversation): FakePiece[] {
  if (behavior.pieces !== undefined) return behavior.pieces;
  const thought = behavior.thinks && conversation.reasons !== false ? think(THOUGHT) : [];
  return [...thought, ...answerOf(behavior, conversation)];
}

function answerOf(behavior: FakeBehavior, conversation: FakeConversation): FakePiece[] {
  const { tools, choice, results, schema, lastUserText } = conversation;
  const mayCall = tools.length > 0 && choice !== 'none';
  const wantsCall = behavior.kind === 'call' && results.length < behavior.steps;
  const mustCall = choice === 'required' || typeof choice === 'object';
  if (mayCall && (wantsCall || (mustCall && results.length === 0))) return callsOf(behavior, conversation);
  switch (behavior.kind) {
    case 'call':
      return say(results.length === 0 ? 'No tool was offered.' : `The result is ${results.flat().join(' and ')}`);
    case 'refusal':
      return refuse(REFUSAL);
    case 'json':
      return JSON.stringify(sampleOf(schema))
        .match(/.{1,6}/gsu)!
        .map((text) => ({ type: 'text', text }));
    case 'echo':
      return say(lastUserText);
    case 'lastline':
      return say(lastUserText.slice(lastUserText.lastIndexOf('\n') + 1));
    default: {
      const prefix = behavior.seed === null ? 'w' : `w${behavior.seed}.`;
      return Array.from({ length: behavior.words }, (_, index) => ({
        type: 'text',
        text: `${index === 0 ? '' : ' '}${prefix}${index + 1}`,
      }));
    }
  }
}

function callsOf({ calls, emptyCalls }: FakeBehavior, { tools, choice, parallel }: FakeConversation): FakePiece[] {
  const named = typeof choice === 'object' ? tools.filter(({ name }) => name === choice.name) : tools;
  const count = parallel ? calls : 1;
  return Array.from({ length: count }, (_, index) => {
    const { name, schema } = named[Math.min(index, named.length - 1)] ?? { name: 'missing', schema: {} };
    return callTool(name, emptyCalls ? {} : sampleOf(schema ?? { type: 'object' }), index);
  }).flat();
}

/** The part of the answer that is sent before its ending. */
export function expectedPieces(model: string, conversation: Partial<FakeConversation> = {}): FakePiece[] {
  const behavior = behaviorOf(model);
  if (behavior.kind === 'fail' && !behavior.once) return [];
  const pieces = turnOf(behavior, { ...EMPTY, ...conversation });
  const cut = behavior.ending !== null && !behavior.once;
  return cut ? pieces.slice(0, behavior.after) : pieces;
}

const EMPTY: FakeConversation = {
  texts: [],
  lastUserText: '',
  tools: [],
  choice: 'auto',
  parallel: true,
  results: [],
  schema: undefined,
};

/**
 * Returns the text that a model sends before its ending. For `once`, this applies from the second request on.
 * @param lastUserText what `echo` repeats
 */
export function expectedText(model: string, lastUserText = ''): string {
  return expectedPieces(model, { lastUserText })
    .map(({ type, text }) => (type === 'text' ? text : ''))
    .join('');
}
