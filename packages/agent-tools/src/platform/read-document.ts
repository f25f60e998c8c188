import { ChorusError, isId, type Owner } from '@chorus/contract';
import type { ToolResult } from '../agent-tool.ts';
import { failed } from '../tool-results.ts';
import { cleanLine, cleanResult } from '../untrusted-text.ts';
import { pagesOf, partsOf, pickPages } from './pages.ts';
import type { PlatformParts, ReadFile } from './platform-parts.ts';
import { withTemporaryFile } from './temporary-file.ts';
import { PAGES, type PlatformTool, stringArgument } from './tool-arguments.ts';

const MAX_ENTRY_CHARS = 5_000_000;
const MAX_BYTES = 100_000_000;

/** A document's pages as text. */
interface Pages {
  title: string;
  pages: string[];
  warnings: readonly string[];
}

interface ReadParts {
  assets: NonNullable<PlatformParts['assets']>;
  readEntry: NonNullable<PlatformParts['readEntry']>;
  readFile: ReadFile;
}

/** Reads a file or a knowledge entry of the scope. */
export const readDocument = (parts: ReadParts): PlatformTool => ({
  name: 'read_document',
  description:
    'Reads the text of a file (`ast_…`) or of a knowledge entry (`kno_…`) as Markdown. Long documents come in pages.',
  parameters: {
    type: 'object',
    properties: { id: { type: 'string', description: 'Id of a file or knowledge entry' }, pages: PAGES },
    required: ['id'],
    additionalProperties: false,
  },
  effect: 'read',
  run: async (args, call): Promise<ToolResult> => {
    const id = stringArgument(args, 'id') ?? '';
    const found = isId('knowledge', id)
      ? await readKnowledge(parts, call.owner, id)
      : isId('asset', id)
        ? await readAsset(parts, call.owner, id, call.signal)
        : null;
    if (found === null) return failed(`There is no file or knowledge entry \`${cleanLine(id, 100)}\`.`);
    if (found.pages.length === 0) return failed('The document has no text, or is not ready yet.');
    const picked = pickPages(found.pages, stringArgument(args, 'pages'));
    if (picked === null) return failed(`\`pages\` must be a range within 1-${found.pages.length}.`);
    const warnings = found.warnings.map((warning) => `Note: ${cleanLine(warning, 500)}`);
    const head = [`Title: ${cleanLine(found.title, 300)}`, `Id: ${id}`, picked.where, ...warnings.slice(0, 10)];
    return { text: `${head.join('\n')}\n\n${cleanResult(picked.text)}` };
  },
});

async function readKnowledge({ readEntry }: ReadParts, owner: Owner, id: string): Promise<Pages | null> {
  const entry = await readEntry(owner, id, MAX_ENTRY_CHARS);
  return entry && { title: entry.title, pages: partsOf(entry.content.split('\n\n')), warnings: [] };
}

async function readAsset(
  { assets, readFile }: ReadParts,
  owner: Owner,
  id: string,
  signal: AbortSignal,
): Promise<Pages | null> {
  const asset = await assets.get(owner, id);
  if (asset === null) return null;
  if (asset.size_bytes > MAX_BYTES)
    throw new ChorusError('payload_too_large', `The file has ${asset.size_bytes} bytes; the limit is ${MAX_BYTES}.`);
  return withTemporaryFile(async (path) => {
    await assets.download(asset, path, signal);
    const { mime_type: mimeType, filename } = asset;
    const document = await readFile({ path, mimeType, filename }, { signal });
    return { title: document.title ?? filename ?? id, pages: pagesOf(document), warnings: document.warnings };
  });
}
