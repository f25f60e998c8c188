import { ChorusError } from '@chorus/contract';
import { LiteParse, type LiteParseConfig } from '@llamaindex/liteparse';

/** Pages are judged by their letters and pictures, and one that is broken costs no other; the parser's own OCR and pictures are not asked for. */
const OPTIONS = {
  ocrEnabled: false,
  quiet: true,
  imageMode: 'off',
  extractLinks: false,
  includeComplexity: true,
  continueOnPageError: true,
  numWorkers: 1,
} as const;

/**
 * Does something with a PDF's parser.
 *
 * @throws ChorusError for a file that is broken or encrypted
 */
export async function openPdf<T>(
  options: Partial<LiteParseConfig>,
  work: (parser: LiteParse) => Promise<T>,
): Promise<T> {
  try {
    return await work(new LiteParse({ ...OPTIONS, ...options }));
  } catch (error) {
    const encrypted = /password|security|encrypt/i.test(String(error));
    const what = encrypted
      ? 'The PDF is encrypted: only files that open without a password can be read.'
      : 'The PDF is broken or cut off: it can not be opened.';
    throw new ChorusError('invalid_request', what, { cause: error });
  }
}
