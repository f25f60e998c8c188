import type { Block } from '../documents.ts';

/** A block of a page, and where it was found. */
export interface HtmlPiece extends Pick<Block, 'type' | 'level' | 'text'> {
  /** `main`: the page calls it its content. `chrome`: menus, heads and feet. */
  region: 'main' | 'body' | 'chrome';
  /** Characters of it that are words of links. */
  linked: number;
}

/** What is called the content is taken for all of it where it has so many characters, or such a share. */
const ENOUGH_CHARACTERS = 500;
const ENOUGH_SHARE = 0.25;
/** Lists and lines that consist of links by more than this are menus. */
const MOSTLY_LINKS = 0.75;

/** The pieces that say what the page is about. */
export function chooseRegion(pieces: readonly HtmlPiece[]): readonly HtmlPiece[] {
  const main = pieces.filter(({ region }) => region === 'main');
  const around = pieces.filter(({ region }) => region !== 'chrome');
  const characters = lengthOf(main);
  if (characters >= ENOUGH_CHARACTERS || (characters > 0 && characters >= lengthOf(around) * ENOUGH_SHARE)) return main;
  const said = around.filter((piece) => piece.region === 'main' || !isMenu(piece));
  if (said.length > 0) return said;
  return around.length > 0 ? around : pieces;
}

const lengthOf = (pieces: readonly HtmlPiece[]) => pieces.reduce((sum, { text }) => sum + text.length, 0);

const isMenu = ({ type, text, linked }: HtmlPiece) => type === 'list' && linked > text.length * MOSTLY_LINKS;
