import type { LayoutBlock } from '@llamaindex/liteparse';

export const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '');

export const textOf = ({ text = '', marker = '', lines = [], header = [], rows = [] }: LayoutBlock): string =>
  [marker, text, ...lines, ...[header, ...rows].flatMap((row) => row.map((cell) => cell.text))].join('');
