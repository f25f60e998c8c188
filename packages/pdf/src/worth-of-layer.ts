import type { ParsedPage } from '@llamaindex/liteparse';

/** A page with so few letters of its own may be a picture with a stamp on it. */
const FEW_LETTERS = 200;
const MUCH_PICTURE = 0.5;
/** Filled outlines of more than this share of a page may be letters. */
const MUCH_DRAWN = 0.002;

export type LayerWorth = 'whole' | 'part' | 'nothing';

/**
 * What the letters that a page carries tell of it: the whole of it; a part, where its picture may tell more; or nothing that can be read.
 *
 * @param text what was read of them
 */
export function worthOfLayer(page: ParsedPage, text = page.text): LayerWorth {
  const { complexity, width, height } = page;
  const letters = text.replace(/\s/g, '').length;
  // Nobody has looked yet whether letters are drawn there.
  if (letters === 0 || isUnreadable(page, text)) return 'nothing';
  const { fullPageImage = false, imageCoverage = 0, uncoveredVectorArea = 0 } = complexity ?? {};
  const drawn = uncoveredVectorArea > width * height * MUCH_DRAWN;
  const pictured = fullPageImage || imageCoverage > MUCH_PICTURE || drawn;
  return pictured && letters < FEW_LETTERS ? 'part' : 'whole';
}

/** Whether its characters are mostly none that are read: fonts without a table of what their signs mean give such. */
function isUnreadable({ complexity }: ParsedPage, text: string): boolean {
  if (complexity?.isGarbled) return true;
  const strange = text.match(/[\p{Cc}\p{Co}\p{Cn}\uFFFD]/gu)?.filter((sign) => !/[\n\t]/.test(sign)).length ?? 0;
  return strange > text.length * 0.2;
}
