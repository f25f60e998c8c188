import type { ToolResult } from '../agent-tool.ts';
import { failed } from '../tool-results.ts';
import { cleanLine, cleanResult } from '../untrusted-text.ts';
import { pagesOf, pickPages } from './pages.ts';
import type { PlatformParts, ReadFile } from './platform-parts.ts';
import { withTemporaryFile } from './temporary-file.ts';
import { PAGES, type PlatformTool, stringArgument } from './tool-arguments.ts';

const MAX_BYTES = 20_000_000;
const FETCH_MS = 30_000;
const READ_MS = 60_000;
const ACCEPT = 'text/html, application/pdf, text/markdown, text/plain, */*;q=0.5';

/** Types that servers declare correctly. For others, the file name is a better hint. */
const TRUSTED = /^(text\/(html|plain|markdown|csv)|application\/(pdf|xhtml\+xml|json))$/;

/** Reads one public page. */
export const webFetch = ({ outbound }: Pick<PlatformParts, 'outbound'>, readFile: ReadFile): PlatformTool => ({
  name: 'web_fetch',
  description:
    'Reads one public web page, PDF, or text file by its URL, and returns its title, final URL, and text as Markdown. ' +
    'Long documents come in pages. It does not run scripts, log in, or search the web.',
  parameters: {
    type: 'object',
    properties: { url: { type: 'string', description: 'An http or https URL' }, pages: PAGES },
    required: ['url'],
    additionalProperties: false,
  },
  effect: 'read',
  run: (args, call) =>
    withTemporaryFile(async (path): Promise<ToolResult> => {
      const url = stringArgument(args, 'url');
      if (url === undefined) return failed('The argument `url` is required.');
      const limits = { maxBytes: MAX_BYTES, timeoutMs: FETCH_MS, accept: ACCEPT };
      const found = await outbound.download(url, path, { ...limits, signal: call.signal });
      const trusted = found.contentType !== null && TRUSTED.test(found.contentType);
      const mimeType = found.contentType ?? 'application/octet-stream';
      const limit = AbortSignal.timeout(READ_MS);
      const signal = AbortSignal.any([call.signal, limit]);
      try {
        const document = await readFile({ path, mimeType, filename: trusted ? null : found.filename }, { signal });
        const picked = pickPages(pagesOf(document), stringArgument(args, 'pages'));
        if (picked === null) return failed(`\`pages\` must be a range of the document's pages, such as 1-3.`);
        const title = cleanLine(document.title ?? found.filename ?? 'Untitled', 300);
        const head = [`Title: ${title}`, `URL: ${cleanLine(found.url, 2_000)}`, picked.where];
        return { text: `${head.join('\n')}\n\n${cleanResult(picked.text)}` };
      } catch (error) {
        call.signal.throwIfAborted();
        if (limit.aborted) return failed('Reading the page took too long.');
        throw error;
      }
    }),
});
