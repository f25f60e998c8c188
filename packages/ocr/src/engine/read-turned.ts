import { median } from '@chorus/documents/pdf';
import type { PageAnalysis } from '../image/analyze-page.ts';
import type { Blob } from '../image/find-blobs.ts';
import { type PreparedPage, placeIn, preparePage, sampleOf, type Turn, upsideDown } from '../image/prepare-page.ts';
import type { Raster } from '../image/raster.ts';
import { addMissed, findMissed, linesAt } from './add-missed.ts';
import type { Engine } from './engine-port.ts';
import { parseTsv, type ReadLine, type ReadWord } from './parse-tsv.ts';
import { foreignScript, type Script } from './scripts.ts';

/** Size of the sample that is read to compare directions. */
const SAMPLE_PIXELS = 600_000;
/** Confidence above which the page is the right way up. */
const SURE = 0.7;
/** Confidence below which text is garbage. */
const DOUBT = 0.5;
/** Share of letters with a neighbor above which a page is upright. */
const FOOTED = 0.3;
const MIN_LETTERS = 20;
/** Factor by which a turned page must read better. */
const CLEARLY = 1.5;
const CLEARLY_LETTERS = 8;
/** A page is read again, as one block, if at least this share of its letters does not belong to a word. */
const MISSED = 0.04;
/** The same for their width, relative to the letters' height, since a column of amounts is a small share of a page. */
const MISSED_WIDTH = 8;
const MOST = 0.6;
/** Maximum number of letters on a page to read twice. Newspapers would take too long. */
const MANY_LETTERS = 6_000;

/** Below this share of certain text, the page may be turned, or in another script than the languages. */
const PLAUSIBLE = 0.1;

export interface ReadPicture {
  prepared: PreparedPage;
  lines: ReadLine[];
  /** Script of the page, if the languages do not use it. */
  script?: Script;
  /** Whether lines run from top to bottom, starting at the right. */
  isVertical?: boolean;
}

/**
 * Reads a page, turned only if that reads clearly better, and again if letters were missed.
 *
 * The geometry of the letters suggests a turn, and the engine's confidence on a part of the page decides. Pages that
 * seem upright are read once.
 */
export async function readTurned(
  engine: Engine,
  languages: readonly string[],
  page: Raster,
  look: PageAnalysis,
): Promise<ReadPicture> {
  if (look.blank) return { prepared: await preparePage(page, look, 0), lines: [] };
  const { prepared, lines } = await readInDirection(engine, languages, page, look);
  const { lined, paired, letter } = look;
  const missed = lined.length === 0 ? 0 : findMissed(lines, lined, prepared, page).length / lined.length;
  if (lined.length >= MIN_LETTERS && (certaintyShare(lines) < PLAUSIBLE || missed > MOST)) {
    const script = foreignScript(await engine.detectScript(prepared.picture), languages);
    if (script !== null) return { prepared, lines, script };
  }
  if (lined.length > MANY_LETTERS) return { prepared, lines };
  const gaps = findMissed(lines, paired, prepared, page);
  if (missed < MISSED && widthOf(gaps) < (letter?.height ?? 1) * MISSED_WIDTH) return { prepared, lines };
  const again = parseTsv(await engine.read(prepared.picture, languages, 'block'));
  if (missed < MISSED) return { prepared, lines: addMissed(lines, linesAt(gaps, again, prepared, page)) };
  return { prepared, lines: certainty(again) > certainty(lines) ? addMissed(again, lines) : addMissed(lines, again) };
}

async function readInDirection(
  engine: Engine,
  languages: readonly string[],
  page: Raster,
  look: PageAnalysis,
): Promise<ReadPicture> {
  const upright = await preparePage(page, look, 0);
  const read = async (picture: Raster) => parseTsv(await engine.read(picture, languages, 'columns'));
  let whole: ReadLine[] | null = null;
  if (!look.sideways && look.across.upright >= 0) {
    whole = await read(upright.picture);
    if (look.across.letters < MIN_LETTERS || look.across.upright > FOOTED || isSure(whole))
      return { prepared: upright, lines: whole };
  }
  const middle = {
    x: median(look.lined.map(({ left, right }) => (left + right) / 2)),
    y: median(look.lined.map(({ top, bottom }) => (top + bottom) / 2)),
  };
  const sample = async (prepared: PreparedPage): Promise<Attempt> => {
    const part = await sampleOf(prepared, SAMPLE_PIXELS, placeIn(prepared, page, middle));
    return { prepared, lines: await read(part ?? prepared.picture), whole: part === null };
  };
  let best = await sample(upright);
  if (!isSure(best.lines)) {
    let least = certainty(best.lines) * CLEARLY + CLEARLY_LETTERS;
    for await (const turned of turnsOf(page, look, upright)) {
      const attempt = await sample(turned);
      const score = certainty(attempt.lines);
      if (score <= least || certaintyShare(attempt.lines) < PLAUSIBLE) continue;
      [best, least] = [attempt, score];
      if (isSure(attempt.lines)) break;
    }
  }
  if (best.whole) return best;
  const { prepared } = best;
  return { prepared, lines: prepared === upright && whole !== null ? whole : await read(prepared.picture) };
}

interface Attempt extends ReadPicture {
  /** Whether the sample was the whole page. */
  whole: boolean;
}

/** Yields the page in other directions, the most likely first. */
async function* turnsOf(page: Raster, look: PageAnalysis, upright: PreparedPage): AsyncGenerator<PreparedPage> {
  const overturned = await upsideDown(upright, page);
  if (!look.sideways) yield overturned;
  const turn: Turn = look.down().upright < 0 ? 270 : 90;
  const onSide = await preparePage(page, look, turn);
  yield onSide;
  yield await upsideDown(onSide, page);
  if (look.sideways) yield overturned;
}

const widthOf = (letters: readonly Blob[]): number => letters.reduce((sum, { left, right }) => sum + right - left, 0);

const isSure = (lines: readonly ReadLine[]) => certaintyShare(lines) > SURE - DOUBT;

function certaintyShare(lines: readonly ReadLine[]): number {
  const letters = lines.flatMap(({ words }) => words).reduce((sum, { text }) => sum + text.length, 0);
  return letters === 0 ? 0 : certainty(lines) / letters;
}

/** Returns how much of the text is not garbage, in letters. */
function certainty(lines: readonly ReadLine[]): number {
  let sum = 0;
  for (const word of lines.flatMap(({ words }) => words)) {
    if (!/[\p{L}\p{N}]{2}/u.test(word.text) || isOnSide(word)) continue;
    sum += Math.max(0, word.confidence - DOUBT) * word.text.length;
  }
  return sum;
}

/** The engine also reads lines that run downwards. */
const isOnSide = ({ text, width, height }: ReadWord) => text.length > 2 && height > width * 1.5;
