import type { ParsedPage } from '@llamaindex/liteparse';

/** Pages with fewer letters may be an image with a stamp on it. */
const MIN_LETTERS = 200;
const MUCH_PICTURE = 0.5;
/** Filled outlines above this share of a page may be letters. */
const MAX_DRAWN_SHARE = 0.002;

export type TextLayerScore = 'whole' | 'part' | 'nothing';

/**
 * Classifies a page's text layer as complete, partial (OCR may find more), or unreadable.
 *
 * @param text the text extracted from it
 */
export function scoreTextLayer(page: ParsedPage, text = page.text): TextLayerScore {
  const { complexity, width, height } = page;
  const letters = text.replace(/\s/g, '').length;
  // Letters may still be drawn as outlines.
  if (letters === 0 || isUnreadable(page, text)) return 'nothing';
  const { fullPageImage = false, imageCoverage = 0, uncoveredVectorArea = 0 } = complexity ?? {};
  const drawn = uncoveredVectorArea > width * height * MAX_DRAWN_SHARE;
  const pictured = fullPageImage || imageCoverage > MUCH_PICTURE || drawn;
  return pictured && letters < MIN_LETTERS ? 'part' : 'whole';
}

/** Returns whether most characters are unreadable because the fonts have no Unicode mapping. */
function isUnreadable({ complexity }: ParsedPage, text: string): boolean {
  if (complexity?.isGarbled) return true;
  const strange = text.match(/[\p{Cc}\p{Co}\p{Cn}\uFFFD]/gu)?.filter((sign) => !/[\n\t]/.test(sign)).length ?? 0;
  return strange > text.length * 0.2;
}
