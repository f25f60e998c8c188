import { confidenceOf } from '@chorus/documents/pdf';
import { analyzePage, type PageAnalysis } from '../image/analyze-page.ts';
import { preparePage } from '../image/prepare-page.ts';
import type { Raster } from '../image/raster.ts';
import type { Engine } from './engine-port.ts';
import { parseTsv, type ReadLine } from './parse-tsv.ts';
import { type ReadPicture, readTurned } from './read-turned.ts';
import type { PageLanguages } from './scripts.ts';

/** Confidence above which lines were read in the right direction, and below which direction or script are wrong. */
const SURE = 0.7;
const POOR = 0.65;
const MIN_LETTERS = 20;

/**
 * Reads a page, from top to bottom if its letters are closer to those below than to those next to them. The same is
 * true of pages on their side, so the engine's confidence decides.
 */
export async function readPage(engine: Engine, languages: PageLanguages, page: Raster): Promise<ReadPicture> {
  const look = await analyzePage(page);
  const { installed, missing } = languages.vertical;
  const mayBeVertical = !look.blank && installed.length > 0;
  const first = mayBeVertical && look.sideways ? await readVertical(engine, installed, page, look) : null;
  if (first !== null) return first;
  const read = await readTurned(engine, languages.languages, page, look);
  // Glyphs of vertical lines read well individually, but across the lines.
  const isAcross = look.sideways && read.prepared.turn % 180 === 0 && look.lined.length >= MIN_LETTERS;
  if (missing !== null && isAcross) return { ...read, script: missing };
  if (!mayBeVertical || look.sideways || confidence(read.lines) >= POOR) return read;
  return (await readVertical(engine, installed, page, look)) ?? read;
}

const confidence = (lines: readonly ReadLine[]): number => confidenceOf(lines.flatMap(({ words }) => words)) ?? 0;

async function readVertical(
  engine: Engine,
  languages: readonly string[],
  page: Raster,
  look: PageAnalysis,
): Promise<ReadPicture | null> {
  const prepared = await preparePage(page, look, 0);
  const lines = parseTsv(await engine.read(prepared.picture, languages, 'vertical'));
  return confidence(lines) < SURE ? null : { prepared, lines, isVertical: true };
}
