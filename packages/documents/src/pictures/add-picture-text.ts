import { BlockWriter } from '../block-writer.ts';
import type { Block, DocumentLimits, ParsedDocument, ParseOptions } from '../documents.ts';
import { readMarkdown } from '../formats/markdown.ts';
import { type EmbeddedPicture, isPictureMark, type MarkedBlock } from './marked-block.ts';

export interface IllustratedDocument {
  blocks: MarkedBlock[];
  pictures: readonly EmbeddedPicture[];
  warnings: string[];
}

/**
 * Replaces the marks of pictures with the text that OCR reads from them. Does not repeat text of an earlier picture,
 * such as a logo.
 *
 * @throws {ChorusError} payload_too_large, and errors of `readPictures`
 */
export async function addPictureText(
  { blocks, pictures, warnings }: IllustratedDocument,
  { readPictures, languages, signal, onPicture }: ParseOptions & { onPicture(done: number): void },
  limits: DocumentLimits,
): Promise<Pick<ParsedDocument, 'blocks' | 'warnings'>> {
  const plain = blocks.filter((block) => !isPictureMark(block));
  if (pictures.length === 0) return { blocks: plain, warnings };
  if (!readPictures) return { blocks: plain, warnings: [...warnings, notRead(pictures.length, '')] };
  const failures: string[] = [];
  const onFailure = (_picture: number, reason: string) => failures.push(reason);
  const read = await readPictures(pictures, { languages, signal, onPage: onPicture, onFailure });
  const texts = new Map(read.map(({ number, text }) => [pictures[number - 1]?.id, text]));
  const shown = new Set<string>();
  const placed: Block[] = [];
  const writer = new BlockWriter(async (sent) => void placed.push(...sent.filter(isText)), limits.characters);
  for (const block of blocks) {
    if (!isPictureMark(block)) {
      placed.push(block);
      continue;
    }
    const text = texts.get(block.picture)?.trim() ?? '';
    if (text === '' || shown.has(text)) continue;
    shown.add(text);
    writer.page = block.page;
    readMarkdown(text, writer);
    await writer.flush();
  }
  const silent = read.filter(({ text }) => text.trim() === '').length;
  const more = [
    ...(silent === 0 ? [] : [withoutText(silent, pictures.length)]),
    ...(failures.length === 0 ? [] : [notRead(failures.length, ` ${failures[0]}`)]),
  ];
  return { blocks: placed, warnings: [...warnings, ...more] };
}

/** Large letters in a picture are not a heading of the document. */
function isText(block: MarkedBlock): block is Block {
  if (isPictureMark(block)) return false;
  if (block.type !== 'heading') return true;
  block.type = 'paragraph';
  delete block.level;
  return true;
}

const notRead = (count: number, reason: string): string =>
  `${count} ${count === 1 ? 'picture was' : 'pictures were'} not read.${reason}`;

const withoutText = (count: number, all: number): string =>
  `${count} of ${all} ${all === 1 ? 'picture' : 'pictures'} ${count === 1 ? 'contains' : 'contain'} no readable text.`;
