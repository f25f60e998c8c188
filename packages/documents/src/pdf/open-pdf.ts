import { ChorusError } from '@chorus/contract/errors';
import { LiteParse, type LiteParseConfig } from '@llamaindex/liteparse';

/**
 * Pages are classified by letters and images, and a damaged page does not affect others. The library's OCR and images
 * are turned off.
 */
const OPTIONS = {
  ocrEnabled: false,
  quiet: true,
  imageMode: 'off',
  extractLinks: false,
  includeComplexity: true,
  continueOnPageError: true,
  numWorkers: 1,
} as const;

export async function openPdf<T>(
  options: Partial<LiteParseConfig>,
  work: (parser: LiteParse) => Promise<T>,
): Promise<T> {
  try {
    return await work(new LiteParse({ ...OPTIONS, ...options }));
  } catch (error) {
    const encrypted = /password|security|encrypt/i.test(String(error));
    const what = encrypted
      ? 'The PDF is encrypted. Only files without a password can be read.'
      : 'The PDF is damaged or cut off and cannot be opened.';
    throw new ChorusError('invalid_request', what, { cause: error });
  }
}
