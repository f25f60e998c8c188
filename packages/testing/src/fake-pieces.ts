/**
 * A piece of an answer, sent as one frame. Pieces of one tool call share a number. The first one names the tool and has
 * no arguments yet.
 */
export type FakePiece =
  | { type: 'text' | 'reasoning' | 'refusal'; text: string }
  | { type: 'call'; call: number; name: string; text: string };

const CHARACTERS_PER_DELTA = 6;

export const say = (text: string): FakePiece[] => wordsOf(text).map((word) => ({ type: 'text', text: word }));
export const think = (text: string): FakePiece[] => wordsOf(text).map((word) => ({ type: 'reasoning', text: word }));
export const refuse = (text: string): FakePiece[] => wordsOf(text).map((word) => ({ type: 'refusal', text: word }));

/** A tool call with its arguments in several pieces. Calls in one answer have different numbers. */
export function callTool(name: string, args: unknown, number = 0): FakePiece[] {
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  const deltas = text.match(new RegExp(`.{1,${CHARACTERS_PER_DELTA}}`, 'gsu')) ?? [];
  return ['', ...deltas].map((delta) => ({ type: 'call', call: number, name, text: delta }));
}

const wordsOf = (text: string): string[] => text.match(/\s*\S+|\s+$/g) ?? [];

export interface FakeBlock {
  type: FakePiece['type'];
  text: string;
  /** Its position among all blocks, and for a call also among the calls. */
  index: number;
  call: number;
  name: string;
}

/** Collects pieces into blocks: a run of one type, or one tool call. */
export class FakeBlocks {
  readonly all: FakeBlock[] = [];
  tokens = 0;
  reasoningTokens = 0;

  /** Adds a piece, and reports whether it opens a block. */
  add(piece: FakePiece): { block: FakeBlock; isNew: boolean } {
    this.tokens += 1;
    if (piece.type === 'reasoning') this.reasoningTokens += 1;
    const last = this.all.at(-1);
    const call = piece.type === 'call' ? piece.call : -1;
    if (last !== undefined && last.type === piece.type && last.call === call) {
      last.text += piece.text;
      return { block: last, isNew: false };
    }
    const name = piece.type === 'call' ? piece.name : '';
    const block = { type: piece.type, text: piece.text, index: this.all.length, call, name };
    this.all.push(block);
    return { block, isNew: true };
  }

  textOf(type: FakePiece['type']): string {
    return this.all.map((block) => (block.type === type ? block.text : '')).join('');
  }

  get calls(): FakeBlock[] {
    return this.all.filter(({ type }) => type === 'call');
  }
}
