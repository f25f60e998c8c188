import type { Block } from '../documents.ts';

export interface HtmlPiece extends Pick<Block, 'type' | 'level' | 'text'> {
  /** `main`: marked as the content by the page. `chrome`: menus, headers, and footers. */
  region: 'main' | 'body' | 'chrome';
  linked: number;
}

/** The marked content is sufficient by itself if it reaches this length or share. */
const MIN_MAIN_CHARACTERS = 500;
const MIN_MAIN_SHARE = 0.25;
/** Blocks above this share of link text are menus. */
const MENU_LINK_SHARE = 0.75;

export function chooseRegion(pieces: readonly HtmlPiece[]): readonly HtmlPiece[] {
  const main = pieces.filter(({ region }) => region === 'main');
  const around = pieces.filter(({ region }) => region !== 'chrome');
  const characters = lengthOf(main);
  if (characters >= MIN_MAIN_CHARACTERS || (characters > 0 && characters >= lengthOf(around) * MIN_MAIN_SHARE))
    return main;
  const content = around.filter((piece) => piece.region === 'main' || !isMenu(piece));
  if (content.length > 0) return content;
  return around.length > 0 ? around : pieces;
}

const lengthOf = (pieces: readonly HtmlPiece[]) => pieces.reduce((sum, { text }) => sum + text.length, 0);

const isMenu = ({ type, text, linked }: HtmlPiece) => type === 'list' && linked > text.length * MENU_LINK_SHARE;
